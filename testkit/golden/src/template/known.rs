//! Where we are known to differ from Go, told by both answers: `docs/differences.md` says why.

/// What two answers are known to differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// What lies between the length and the capacity of a slice, which Go shows.
    Capacity,
    /// The inside of a time, and its address.
    InsideOfTime,
    /// What Go prints as an address.
    Address,
    /// A text beyond our limits.
    Limit,
}

/// Why an answer of ours is known to differ from Go's: each is what was written, or the error.
#[must_use]
pub fn difference(theirs: &Result<String, String>, ours: &Result<String, String>) -> Option<Known> {
    let has = |text: &Result<String, String>, part: &str| match text {
        Ok(text) | Err(text) => text.contains(part),
    };
    // Anything may follow from what was made of a part that we refuse.
    let refused = ours.as_ref().err();
    if refused.is_some_and(|error| error.contains("slice index out of bounds")) && !has(theirs, "out of bounds") {
        return Some(Known::Capacity);
    }
    if has(ours, "(time.Time=") || has(theirs, "time.Date(") {
        return Some(Known::InsideOfTime);
    }
    if has(theirs, "0xc0") || has(ours, "0xc0") {
        return Some(Known::Address);
    }
    let limit = refused.is_some_and(|error| error.contains("limit of "));
    (limit && theirs.as_ref().map_or(0, String::len) > 1 << 20).then_some(Known::Limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_what_is_known_passes() {
        let check = |theirs: Result<&str, &str>, ours: Result<&str, &str>, expect: Option<Known>| {
            let owned = |answer: Result<&str, &str>| answer.map(String::from).map_err(String::from);
            assert_eq!(difference(&owned(theirs), &owned(ours)), expect, "{theirs:?} {ours:?}");
        };
        let bounds = Err("error calling slice: reflect.Value.Slice: slice index out of bounds");
        check(Ok("[1 0 0]"), bounds, Some(Known::Capacity));
        check(Err("error calling slice: cannot slice"), bounds, Some(Known::Capacity));
        check(Ok("a"), Ok("b"), None);
        check(Ok("a"), Err("b"), None);
        check(Ok("{0 1 2}"), Ok("%!d(time.Time=2020)"), Some(Known::InsideOfTime));
        check(Ok("0xc000123456"), Ok("0xc000100000"), Some(Known::Address));
    }
}
