//! Cases in which the two answers differ.

use super::{Answer, Question, Sdk, answer};
use crate::encoding::from_base64;
use crate::template::known;

/// A case with both answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its place among the questions.
    pub index: usize,
    /// What Helm says.
    pub helm: Answer,
    /// What we say.
    pub ours: Answer,
}

/// Where ours differs from Helm's, left out what Helm answers at random and what is [known].
pub fn differences(sdk: &mut Sdk, questions: &[Question]) -> Vec<Difference> {
    let answers = sdk.ask(questions);
    let found: Vec<Difference> = questions
        .iter()
        .zip(answers)
        .enumerate()
        .filter_map(|(index, (question, helm))| {
            let ours = answer(question);
            (!same(&ours, &helm) && !is_known(&helm, &ours)).then_some(Difference { index, helm, ours })
        })
        .collect();
    found
        .into_iter()
        .filter(|difference| !is_random(sdk, &questions[difference.index], difference))
        .collect()
}

/// Whether the two are [known] to differ.
#[must_use]
pub fn is_known(helm: &Answer, ours: &Answer) -> bool {
    let written = |answer: &Answer| answer.as_ref().map(|text| written(text)).map_err(String::clone);
    known::difference(&written(helm), &written(ours)).is_some()
}

/// Equal, but for addresses: no two runs have them in common.
#[must_use]
pub fn same(ours: &Answer, helm: &Answer) -> bool {
    match (ours, helm) {
        (Ok(ours), Ok(helm)) => ours == helm || shown(ours) == shown(helm),
        (Err(ours), Err(helm)) => ours == helm || without_addresses(ours) == without_addresses(helm),
        _ => false,
    }
}

/// A text with what a template wrote in base64 as it was written, and without addresses.
fn shown(text: &str) -> String {
    without_addresses(&written(text))
}

/// A text with what a template wrote in base64 as it was written.
fn written(text: &str) -> String {
    const MARK: &str = "v: \"";
    let lines = text.lines().map(|line| {
        let encoded = line.strip_prefix(MARK).and_then(|rest| rest.strip_suffix('"'));
        let decoded = encoded.and_then(from_base64);
        decoded.map_or_else(|| line.to_owned(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
    });
    lines.collect::<Vec<String>>().join("\n")
}

fn without_addresses(text: &str) -> String {
    const DIGITS: usize = 6;
    let mut parts = text.split("0x");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take_while(u8::is_ascii_hexdigit).count();
        out.push_str("0x");
        out.push_str(if digits >= DIGITS { &part[digits..] } else { part });
    }
    out
}

/// Whether Helm says something else, or what we say, from time to time: its maps have no order.
fn is_random(sdk: &mut Sdk, question: &Question, difference: &Difference) -> bool {
    let again = vec![question.clone(); 80];
    sdk.ask(&again)
        .iter()
        .any(|answer| *answer != difference.helm || same(&difference.ours, answer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_do_not_differ_and_all_else_does() {
        let same = |a: &str, b: &str| same(&Ok(a.into()), &Ok(b.into()));
        assert!(same("v: \"MHhjMDAwMTIzNDU2IHg=\"", "v: \"MHhjMDAwNzc3Nzc3IHg=\""));
        assert!(!same("v: \"MHhjMDAwMTIzNDU2IHg=\"", "v: \"MHhjMDAwNzc3Nzc3IHk=\""));
        assert!(!same("a: 0x12", "a: 0x13"));
    }
}
