//! Versions and constraints against Masterminds/semver: answers recorded by the program in `data/helm/oracle`.

use std::fs;
use std::path::Path;

use convoy_sprig::semver::{Constraint, Version};
use serde_json::{Value, json};

fn error(error: &impl std::string::ToString) -> Value {
    json!({ "error": error.to_string() })
}

fn version(text: &str) -> Result<Value, Value> {
    let v = Version::parse(text).map_err(|e| error(&e))?;
    Ok(json!([
        v.to_string(),
        v.original(),
        v.major(),
        v.minor(),
        v.patch(),
        v.prerelease(),
        v.metadata()
    ]))
}

fn pair(constraint: &str, version: &str) -> Result<Value, Value> {
    let version = Version::parse(version).map_err(|e| error(&e))?;
    let constraint = Constraint::parse(constraint).map_err(|e| error(&e))?;
    let reasons = constraint.validate(&version).err();
    Ok(json!([
        constraint.check(&version),
        reasons.is_none(),
        reasons.unwrap_or_default()
    ]))
}

fn order(a: &str, b: &str) -> Result<Value, Value> {
    let [a, b] = [Version::parse(a), Version::parse(b)];
    let (a, b) = (a.map_err(|e| error(&e))?, b.map_err(|e| error(&e))?);
    Ok(json!(a.compare(&b) as i8))
}

fn answer(question: &[String]) -> Value {
    let answer = match question {
        [kind, text] if kind == "v" => version(text),
        [kind, text] if kind == "c" => Constraint::parse(text)
            .map(|c| json!(c.to_string()))
            .map_err(|e| error(&e)),
        [kind, constraint, text] if kind == "p" => pair(constraint, text),
        [kind, a, b] if kind == "o" => order(a, b),
        _ => panic!("a question of another kind: {question:?}"),
    };
    answer.unwrap_or_else(|error| error)
}

#[test]
fn answers_are_those_of_the_go_library() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/helm/semver.jsonl");
    let text = fs::read_to_string(path).unwrap();
    let mut held = 0;
    for line in text.lines() {
        let (question, expect): (Vec<String>, Value) = serde_json::from_str(line).unwrap();
        assert_eq!(answer(&question), expect, "{question:?}");
        held += usize::from(expect.get("error").is_none());
    }
    assert!(held >= 500, "only {held} questions have an answer that is no error");
}
