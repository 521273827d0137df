//! Ours against `helm template`: fixed seeds, and new ones in every run.

use std::time::{SystemTime, UNIX_EPOCH};

use convoy_testkit_golden::generate::{self, Random};
use convoy_testkit_golden::helm::{self, Function};
use convoy_testkit_golden::oracle::{Op, Oracle, is_about_values};
use convoy_value::{Limits, json, yaml};

/// Cases of each kind for the fixed seeds; as many again are new.
const CASES: u64 = 1_500;

fn seeds() -> impl Iterator<Item = u64> {
    let new = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs())
        << 20;
    (0..CASES).chain(new..new + CASES)
}

fn compare(function: Function, make: impl Fn(&mut Random) -> String, same: impl Fn(&str, &str) -> bool) {
    // Without its byte order marks: see the live comparison with the libraries.
    let texts: Vec<String> = seeds()
        .map(|seed| make(&mut Random::new(seed)).replace('\u{feff}', ""))
        .collect();
    let Some(answers) = helm::ask(function, &texts) else {
        return;
    };
    let failures: Vec<String> = seeds()
        .zip(texts.iter().zip(&answers))
        .filter(|(_, (text, answer))| !same(text, answer) && !is_random(function, text))
        .map(|(seed, (text, answer))| {
            format!(
                "seed {seed}: {text:?}\n  ours {:?}\n  helm {answer:?}",
                function.ours(text)
            )
        })
        .collect();
    assert!(
        failures.is_empty(),
        "{} differences\n{}",
        failures.len(),
        failures[..failures.len().min(10)].join("\n")
    );
}

/// Whether Go's answer is another one from time to time: two keys that become one text are set in the order of a Go map.
fn is_random(function: Function, text: &str) -> bool {
    let Some(mut oracle) = Oracle::start() else {
        return false;
    };
    let first = oracle.ask(Op::HelmValues, text.as_bytes());
    function == Function::FromYaml && (0..30).any(|_| oracle.ask(Op::HelmValues, text.as_bytes()) != first)
}

fn canonical(text: &str) -> Option<String> {
    json::parse(text, &Limits::default())
        .ok()
        .map(|value| json::to_canonical(&value))
}

/// `fromYaml` answers an empty map for nothing, and a map with the key `Error` for what is refused or no map.
fn is_from_yaml(text: &str, answer: &str) -> bool {
    let helm = canonical(answer).unwrap_or_default();
    let refused = helm.starts_with("{\"Error\":");
    match Function::FromYaml.ours(text) {
        Ok(ours) if ours == "null" => helm == "{}",
        Ok(ours) if ours.starts_with('{') => ours == helm,
        Ok(_) => refused && helm.contains("cannot unmarshal"),
        Err(error) if is_about_values(&error) => refused,
        Err(error) => {
            answer == json::to_canonical(&[("Error", error)].into_iter().collect::<convoy_value::Map>().into())
        }
    }
}

#[test]
fn from_yaml_gives_what_helm_gives() {
    compare(Function::FromYaml, generate::structured_text, is_from_yaml);
    compare(
        Function::FromYaml,
        |random| {
            let text = generate::structured_text(random);
            generate::mutated_text(random, &text)
        },
        is_from_yaml,
    );
}

fn object(random: &mut Random) -> String {
    let value = generate::value(random, 4);
    json::to_canonical(&[("value", value)].into_iter().collect::<convoy_value::Map>().into())
}

/// The natural order of keys is no total order for some keys with digits, and Helm's order of them is random then:
/// one case in a hundred may differ in the order of its lines.
#[test]
fn to_yaml_writes_what_helm_writes() {
    let disordered = std::cell::Cell::new(0);
    compare(Function::ToYaml, object, |text, answer| {
        let ours = Function::ToYaml.ours(text).unwrap();
        if ours == answer {
            return true;
        }
        disordered.set(disordered.get() + 1);
        let sorted = |text: &str| {
            let line = |line: &str| line.trim_start_matches([' ', '-', '?', ':']).to_owned();
            let mut lines: Vec<String> = text.lines().map(line).collect();
            lines.sort();
            lines
        };
        sorted(&ours) == sorted(answer)
    });
    assert!(
        disordered.get() <= CASES / 50,
        "{} answers in another order",
        disordered.get()
    );
}

#[test]
fn to_json_writes_what_helm_writes() {
    compare(Function::ToJson, object, |text, answer| {
        Function::ToJson.ours(text).as_deref() == Ok(answer)
    });
}

#[test]
fn values_are_what_helm_reads() {
    let mut text = String::from("# every word that some reader takes for something else\n");
    for (index, word) in generate::words().iter().enumerate() {
        let longer = format!("{text}k{index}: {word}\n");
        let documents = yaml::helm::parse_values_documents(longer.clone() + "end: 1", &Limits::default());
        let key = format!("k{index}");
        if documents.is_ok_and(|documents| matches!(&documents[..], [one] if one.value.get(&key).is_some() && one.value.get("end").is_some())) {
            text = longer;
        }
    }
    text.push_str(
        "twice: 1\ntwice: {a: on}\nbase: &b {x: 1, y: 2}\nover: {x: 3, <<: *b}\n014: octal\n1.50: float\nyes: key\n",
    );
    let Some(helm) = helm::values(&text) else { return };
    let mut ours = yaml::helm::parse_values(&text, &Limits::default()).unwrap();
    // A chart's own nulls are gone before a template sees the values.
    ours.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    assert_eq!(json::to_canonical(&ours), helm);
}

#[test]
fn a_values_file_may_have_several_documents() {
    let text = "---\na: |\n  x\n--- # b\nb: 014\r\n---\n---\n\n---\nc: on";
    let Some(helm) = helm::values(text) else { return };
    let documents = yaml::helm::parse_values_documents(text, &Limits::default()).unwrap();
    let entries = documents
        .into_iter()
        .filter_map(|document| document.value.as_object().cloned());
    let merged: convoy_value::Map = entries.flatten().collect();
    assert_eq!(json::to_canonical(&merged.into()), helm);
}
