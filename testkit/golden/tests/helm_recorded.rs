//! Ours against recorded answers of Helm: its own functions, and what once differed.

use std::collections::BTreeMap;

use convoy_testkit_golden::helm_template::{self, Row, answer, objects, on_a_large_stack, same};
use convoy_testkit_golden::template::{random, spec};

fn check(rows: &[Row]) {
    on_a_large_stack(|| {
        let differences: Vec<String> = rows
            .iter()
            .filter_map(|row| {
                let ours = answer(&row.question());
                let text = row.template.as_deref().unwrap_or("a chart");
                (!same(&ours, &row.answer)).then(|| format!("{text}\n  helm {:?}\n  ours {ours:?}", row.answer))
            })
            .collect();
        assert!(differences.is_empty(), "{}", differences.join("\n"));
    });
}

#[test]
fn functions_of_helm_answer_as_recorded() {
    let rows = helm_template::function_rows();
    check(&rows);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in &rows {
        *counts.entry(&row.about).or_default() += 1;
    }
    let drawn = random::cases();
    for name in convoy_helm::functions().names() {
        // Those have rows of their own: see `template.rs`.
        let of_sprig = spec::FUNCTIONS
            .iter()
            .chain(spec::COMPARED_ELSEWHERE)
            .any(|(known, _)| *known == name)
            || drawn.iter().any(|(known, _)| *known == name);
        let rows = counts.get(name).copied().unwrap_or(0);
        assert!(of_sprig || rows >= 20, "`{name}` has {rows} rows");
    }
}

#[test]
fn objects_look_as_recorded() {
    let rows = helm_template::object_rows();
    check(&rows);
    for object in objects::OBJECTS {
        let views = rows.iter().filter(|row| row.about == *object).count();
        assert!(views >= 20, "`{object}` has {views} rows");
    }
}

#[test]
fn what_once_differed_is_answered_as_recorded() {
    let rows = helm_template::found();
    assert!(!rows.is_empty());
    check(&rows);
}
