//! Answers that a test puts in place of a call's own.

/// How often a refusal answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// For this many calls.
    Next(u32),
    /// Until it is lifted.
    Always,
}

/// Refusals of one fake, looked through in the order in which they were made.
#[derive(Debug)]
pub(crate) struct Refusals<E> {
    calls: &'static [&'static str],
    rules: Vec<Rule<E>>,
}

#[derive(Debug)]
struct Rule<E> {
    call: String,
    operand: String,
    error: E,
    times: Times,
}

impl<E: Clone> Refusals<E> {
    /// None yet; `calls` are the names of the port's methods.
    pub(crate) const fn of(calls: &'static [&'static str]) -> Self {
        Self {
            calls,
            rules: Vec::new(),
        }
    }

    /// Answers `error` to `call` (every call when empty) whose operand contains `operand`.
    pub(crate) fn add(&mut self, call: &str, operand: &str, error: E, times: Times) {
        assert!(
            call.is_empty() || self.calls.contains(&call),
            "`{call}` is none of the port's calls {:?}",
            self.calls
        );
        self.rules.push(Rule {
            call: call.to_owned(),
            operand: operand.to_owned(),
            error,
            times,
        });
    }

    /// Forgets all of them.
    pub(crate) fn lift(&mut self) {
        self.rules.clear();
    }

    /// The first refusal that speaks of this call.
    pub(crate) fn check(&mut self, call: &str, operand: &str) -> Result<(), E> {
        debug_assert!(self.calls.contains(&call), "`{call}` is not in the list of calls");
        let speaks = |rule: &Rule<E>| {
            (rule.call.is_empty() || rule.call == call)
                && operand.contains(&rule.operand)
                && rule.times != Times::Next(0)
        };
        let Some(rule) = self.rules.iter_mut().find(|rule| speaks(rule)) else {
            return Ok(());
        };
        if let Times::Next(left) = &mut rule.times {
            *left -= 1;
        }
        Err(rule.error.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_speaks_of_its_call_and_operand_as_often_as_told() {
        let mut refusals = Refusals::of(&["put", "get"]);
        refusals.add("put", "renders/", "first", Times::Next(1));
        refusals.add("", "renders/a", "second", Times::Always);
        assert_eq!(refusals.check("get", "x/history/a"), Ok(()));
        assert_eq!(refusals.check("put", "x/renders/a"), Err("first"));
        assert_eq!(refusals.check("put", "x/renders/a"), Err("second"));
        assert_eq!(refusals.check("get", "x/renders/a"), Err("second"));
        assert_eq!(refusals.check("put", "x/renders/b"), Ok(()));
        refusals.lift();
        assert_eq!(refusals.check("get", "x/renders/a"), Ok(()));
    }

    #[test]
    #[should_panic(expected = "none of the port's calls")]
    fn a_misspelt_call_is_not_accepted() {
        Refusals::of(&["put"]).add("putt", "", (), Times::Always);
    }
}
