//! Ours against `kubectl kustomize`: what a resource means.

use std::time::{SystemTime, UNIX_EPOCH};

use convoy_testkit_golden::generate::{self, Random};
use convoy_testkit_golden::kustomize;
use convoy_testkit_golden::oracle::{Op, Oracle};
use convoy_value::{Limits, json, yaml};

/// Resources of the fixed seeds; as many again are new. More than a few hundred take kustomize minutes.
const CASES: u64 = 150;

fn seeds() -> impl Iterator<Item = u64> {
    let new = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs())
        << 20;
    (0..4 * CASES).chain(new..new + 4 * CASES)
}

/// The text below `spec:`, if it can stand there and our reader accepts it: one failing resource fails them all.
fn spec(text: &str) -> Option<(String, String)> {
    let indented: String = text.lines().flat_map(|line| ["  ", line, "\n"]).collect();
    let whole = format!("apiVersion: v1\nspec:\n{indented}");
    let value = yaml::kustomize::parse(&whole, &Limits::default()).ok()?;
    let documents = yaml::kustomize::parse_documents(&whole, &Limits::default()).ok()?;
    let spec = value.get("spec")?;
    // The printed text is what can be compared, and its writer changes or refuses a few strings.
    let printed = yaml::helm::parse(yaml::marshal(spec).ok()?, &Limits::default()).ok()?;
    let collection = spec.as_object().is_some() || spec.as_array().is_some();
    (collection && documents.len() == 1).then(|| (indented, json::to_canonical(&printed)))
}

#[test]
fn resources_mean_what_kustomize_makes_of_them() {
    let Some(mut oracle) = Oracle::start() else { return };
    // At the end of a build kyaml writes a resource and reads it again, which changes some scalars (folded text with
    // deeper lines, nothing in a flow collection): that is not what its reader makes of them.
    let mut survives = |spec: &str| {
        let resource = format!("a:\n{spec}");
        oracle.ask(Op::Kustomize, resource.as_bytes()) == oracle.ask(Op::KustomizeBuilt, resource.as_bytes())
    };
    let cases: Vec<(u64, (String, String))> = seeds()
        .filter_map(|seed| Some((seed, spec(&generate::structured_text(&mut Random::new(seed)))?)))
        .filter(|(_, (spec, _))| survives(spec))
        .take(usize::try_from(2 * CASES).unwrap())
        .collect();
    let specs: Vec<String> = cases.iter().map(|(_, (spec, _))| spec.clone()).collect();
    let Some(answers) = kustomize::ask(&specs) else { return };
    let failures: Vec<String> = cases
        .iter()
        .zip(&answers)
        .filter(|((_, (_, ours)), answer)| ours != *answer)
        .map(|((seed, (spec, ours)), answer)| format!("seed {seed}\n{spec}\n  ours      {ours}\n  kustomize {answer}"))
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {} differ\n{}",
        failures.len(),
        cases.len(),
        failures[..failures.len().min(6)].join("\n")
    );
}
