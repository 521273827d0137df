//! Ours against Helm's own code on generated charts: fixed seeds, and new ones in every run.
//!
//! `CONVOY_GOLDEN_SEED=17` repeats one seed, `CONVOY_GOLDEN_CASES=10000` makes a long run.

use std::env;
use std::time::{SystemTime, UNIX_EPOCH};

use convoy_testkit_golden::generate::Random;
use convoy_testkit_golden::helm_template::{
    Difference, Question, Sdk, answer, ask_command, differences, generate, is_known, on_a_large_stack, same,
};
use convoy_testkit_golden::reduce;

/// Cases of each kind with fixed seeds; a quarter as many are new.
const CASES: u64 = 250;

fn seeds() -> Vec<u64> {
    if let Some(seed) = env::var("CONVOY_GOLDEN_SEED").ok().and_then(|seed| seed.parse().ok()) {
        return vec![seed];
    }
    let cases = env::var("CONVOY_GOLDEN_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    let cases = cases.unwrap_or(CASES);
    let new = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs())
        << 20;
    (0..cases).chain(new..new + cases / 4).collect()
}

fn shown(seed: u64, question: &Question, difference: &Difference) -> String {
    let asked = serde_json::to_string(question).unwrap_or_default();
    format!(
        "seed {seed}: {asked}\n  helm {:?}\n  ours {:?}\n",
        difference.helm, difference.ours
    )
}

/// Compares a question for each seed; `reduced` makes one that differs small.
fn compare(make: impl Fn(&mut Random) -> Question + Sync, reduced: impl Fn(&mut Sdk, u64) -> Question + Sync) {
    on_a_large_stack(|| {
        let Some(mut sdk) = Sdk::start() else { return };
        let mut report = String::new();
        let mut count = 0;
        for seeds in seeds().chunks(500) {
            let questions: Vec<Question> = seeds.iter().map(|seed| make(&mut Random::new(*seed))).collect();
            for difference in differences(&mut sdk, &questions) {
                count += 1;
                if count > 4 {
                    continue;
                }
                let seed = seeds[difference.index];
                let small = reduced(&mut sdk, seed);
                let again = differences(&mut sdk, std::slice::from_ref(&small));
                match again.first() {
                    Some(again) => report.push_str(&shown(seed, &small, again)),
                    None => report.push_str(&shown(seed, &questions[difference.index], &difference)),
                }
            }
        }
        assert!(count == 0, "{count} differences\n{report}");
    });
}

/// The body of a template with whatever can go taken out.
fn reduced_template(sdk: &mut Sdk, seed: u64) -> Question {
    let mut body = generate::body(&mut Random::new(seed));
    let whole = body.clone();
    body.text = reduce::reduce(&whole.text, |text| {
        let smaller = generate::Body {
            text: text.to_owned(),
            ..whole.clone()
        };
        !differences(sdk, &[generate::question(&smaller)]).is_empty()
    });
    generate::question(&body)
}

/// A chart with every file and option taken out that can go.
fn reduced_chart(sdk: &mut Sdk, mut question: Question) -> Question {
    let mut differs = |question: &Question| !differences(sdk, std::slice::from_ref(question)).is_empty();
    let mut index = 0;
    while index < question.files.len() {
        // Without it all charts are the same.
        if question.files[index].0 == "Chart.yaml" {
            index += 1;
            continue;
        }
        let mut smaller = question.clone();
        smaller.files.remove(index);
        if differs(&smaller) {
            question = smaller;
        } else {
            index += 1;
        }
    }
    for index in (0..question.sets.len()).rev() {
        let mut smaller = question.clone();
        smaller.sets.remove(index);
        if differs(&smaller) {
            question = smaller;
        }
    }
    for index in (0..question.values.len()).rev() {
        let mut smaller = question.clone();
        smaller.values.remove(index);
        if differs(&smaller) {
            question = smaller;
        }
    }
    question
}

#[test]
fn generated_templates_are_answered_as_helm_answers_them() {
    compare(|random| generate::question(&generate::body(random)), reduced_template);
}

#[test]
fn generated_charts_are_answered_as_helm_answers_them() {
    compare(generate::chart, |sdk, seed| {
        reduced_chart(sdk, generate::chart(&mut Random::new(seed)))
    });
}

#[test]
fn generated_options_are_answered_as_helm_answers_them() {
    compare(generate::sets, |sdk, seed| {
        reduced_chart(sdk, generate::sets(&mut Random::new(seed)))
    });
}

/// The command as the judge of the oracle and of us: one process for all templates that are not refused.
#[test]
fn one_chart_of_many_templates_is_what_the_command_prints() {
    on_a_large_stack(|| {
        let bodies: Vec<generate::Body> = (0..CASES * 2)
            .map(|seed| generate::body(&mut Random::new(seed)))
            .filter(|body| answer(&generate::question(body)).is_ok())
            .collect();
        assert!(bodies.len() > 100, "only {} templates run to their end", bodies.len());
        let question = generate::batch(&bodies);
        let Some(command) = ask_command(&question) else { return };
        let ours = answer(&question);
        let (command, ours) = (
            command.unwrap_or_else(|error| error),
            ours.unwrap_or_else(|error| error),
        );
        let differs = |(command, ours): &(&str, &str)| {
            let (command, ours) = (Ok((*command).to_owned()), Ok((*ours).to_owned()));
            !same(&command, &ours) && !is_known(&command, &ours)
        };
        let differing = command.lines().zip(ours.lines()).find(differs);
        assert!(differing.is_none(), "{differing:?}");
        assert_eq!(command.lines().count(), ours.lines().count());
    });
}
