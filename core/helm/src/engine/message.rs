//! Errors of templates in the words and on the lines in which Helm prints them, and without values.
//!
//! # Invariant
//! What is shown without values is made of places, source texts of the chart's own templates, names of types, and
//! texts that stand in the chart as constants. What a function says, and the text that `tpl` was given, are left out.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use convoy_template::{ExecError, ParseError};

use crate::error::Error;
use crate::reason::Reason;

/// `required` and `fail` put their text between these, so that it can be shown alone.
pub(super) const START: &str = "HELM_ERR_START";
/// See [`START`].
pub(super) const END: &str = "HELM_ERR_END";

/// A template that cannot be parsed.
pub(super) fn parse_error(file: &str, error: &ParseError) -> Error {
    let text = error.to_string();
    let tokens: Vec<&str> = text.split(": ").collect();
    let message = match &tokens[..] {
        [_, location, .., last] => format!("parse error at ({location}): {last}"),
        [_, location] => format!("parse error at ({location}): {location}"),
        _ => format!("parse error in ({file}): {text}"),
    };
    Error::Template {
        message: Reason::plain(message),
        file: file.into(),
        line: error.line,
        column: 0,
        limit: error.limit,
    }
}

/// A template that failed while it was executed; `is_constant` tells which texts the chart's files hold as literals.
pub(super) fn exec_error(file: &str, error: &ExecError, is_constant: &dyn Fn(&str) -> bool) -> Error {
    let shown = match error.limit {
        // A limit quotes nothing but itself.
        Some(limit) => place(error, file) + &limit.to_string(),
        None => without_values(file, error, is_constant),
    };
    Error::Template {
        message: Reason::hiding(reformat(file, &error.text), shown),
        file: if error.template.is_empty() {
            file.into()
        } else {
            error.template.clone()
        },
        line: error.line,
        column: error.column,
        limit: error.limit,
    }
}

/// One line of the trace: where, what was executed, and what went wrong.
#[derive(Debug, PartialEq, Eq)]
struct Step<'t> {
    location: &'t str,
    executed: String,
    message: &'t str,
}

fn reformat(file: &str, text: &str) -> String {
    let mut tokens = text.splitn(3, ": ");
    let (Some(_), Some(location), Some(rest)) = (tokens.next(), tokens.next(), tokens.next()) else {
        return format!("execution error in ({file}): {text}");
    };
    if let Some(said) = said(rest) {
        return format!("execution error at ({location}): {said}");
    }
    let mut steps: Vec<Step<'_>> = Vec::new();
    let mut current = Some(text);
    while let Some(error) = current {
        let Some(step) = parse(error) else {
            return text.to_string();
        };
        if steps.last() != Some(&step) {
            steps.push(step);
        }
        current = cause(error);
    }
    let shown: String = steps.iter().map(Step::show).collect();
    shown.trim().to_string()
}

/// The error that a called function failed with, which Go keeps inside of its own.
fn cause(error: &str) -> Option<&str> {
    let message = executing(error.strip_prefix("template: ")?)?.2;
    let rest = message.strip_prefix("error calling ")?;
    Some(rest.split_once(": ")?.1)
}

fn parse(error: &str) -> Option<Step<'_>> {
    let rest = error.strip_prefix("template: ")?;
    if rest.starts_with("no template ") {
        return Some(Step {
            location: "",
            executed: String::new(),
            message: error,
        });
    }
    if let Some((location, executed, message)) = executing(rest) {
        let message = message.find(" template:").map_or(message, |cut| &message[..cut]);
        return Some(Step {
            location,
            executed,
            message,
        });
    }
    let (location, message) = rest.rsplit_once(": ")?;
    let message = message.find(" template:").map_or(message, |cut| &message[..cut]);
    Some(Step {
        location,
        executed: String::new(),
        message,
    })
}

/// The place, what was executed there, and the rest of an error of execution.
fn executing(rest: &str) -> Option<(&str, String, &str)> {
    let (location, after) = rest.split_once(": executing ")?;
    let (function, after) = after.strip_prefix('"')?.split_once('"')?;
    let (context, message) = after.strip_prefix(" at <")?.split_once(">: ")?;
    Some((location, format!("executing \"{function}\" at <{context}>:"), message))
}

impl Step<'_> {
    fn show(&self) -> String {
        let mut text = String::new();
        if !self.location.is_empty() {
            text.push_str(self.location);
            text.push_str("\n  ");
        }
        if !self.executed.is_empty() {
            text.push_str(&self.executed);
            text.push_str("\n    ");
        }
        if !self.message.is_empty() {
            text.push_str(self.message);
            text.push('\n');
        }
        text
    }
}

/// What is shown in place of a message that may quote a value.
const HIDDEN: &str = "the message is not shown, because it may quote values";

/// The text of `tpl` is parsed under this name: it may be a value, so that nothing of it is shown but places.
const GENERATED: &str = super::functions::TPL;

/// Messages that name types, fields and numbers of operands only.
const HARMLESS: [&str; 13] = [
    "nil pointer evaluating ",
    "can't evaluate field ",
    "nil data; no entry for key ",
    "wrong number of args for ",
    "wrong type for value; expected ",
    "invalid value; expected ",
    "incompatible types for comparison",
    "invalid type for comparison",
    "missing argument for comparison",
    "index of untyped nil",
    "index of nil pointer",
    "can't index item of type ",
    "rendering template has a nested reference name: ",
];

fn place(error: &ExecError, file: &str) -> String {
    let template = if error.template.is_empty() {
        file
    } else {
        &error.template
    };
    if error.line == 0 {
        format!("{template}: ")
    } else {
        format!("{template}:{}:{}: ", error.line, error.column)
    }
}

/// The trace with the places and the source texts of the chart, and only such messages as hold no value.
fn without_values(file: &str, error: &ExecError, is_constant: &dyn Fn(&str) -> bool) -> String {
    let text = error.text.as_str();
    if let Some(said) = said(text) {
        let location = text.split(": ").nth(1).unwrap_or(file);
        let message = if is_constant(said) { said } else { HIDDEN };
        return format!("execution error at ({location}): {message}");
    }
    let mut shown = String::new();
    let mut current = Some(text);
    while let Some(step) = current {
        let Some((location, executed, message)) = step.strip_prefix("template: ").and_then(executing) else {
            break;
        };
        current = cause(step).filter(|cause| cause.strip_prefix("template: ").and_then(executing).is_some());
        let generated = location.split(':').next() == Some(GENERATED);
        shown.push_str(&format!("{location}\n"));
        if !generated {
            shown.push_str(&format!("  {executed}\n"));
        }
        let message = match message
            .strip_prefix("error calling ")
            .and_then(|rest| rest.split_once(": "))
        {
            Some((function, _)) if current.is_some() => format!("error calling {function}:"),
            Some((function, rest)) => {
                let rest = if is_harmless(rest, is_constant) { rest } else { HIDDEN };
                format!("error calling {function}: {rest}")
            }
            None if !generated && is_harmless(message, is_constant) => message.to_string(),
            None => HIDDEN.to_string(),
        };
        shown.push_str(&format!("    {message}\n"));
    }
    if shown.is_empty() {
        return place(error, file) + HIDDEN;
    }
    shown.trim_end().to_string()
}

fn is_harmless(message: &str, is_constant: &dyn Fn(&str) -> bool) -> bool {
    let absent = message.strip_prefix("template: no template \"");
    let absent = absent.and_then(|rest| rest.strip_suffix("\" associated with template \"gotpl\""));
    absent.is_some_and(is_constant) || HARMLESS.iter().any(|start| message.starts_with(start))
}

/// What `fail` or `required` said.
fn said(text: &str) -> Option<&str> {
    let start = text.find(START)? + START.len();
    text.get(start..text.rfind(END)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_without_values_keeps_places_and_sources() {
        let check = |text: &str, expect: &str| {
            let error = ExecError {
                text: text.into(),
                template: "c/a.yaml".into(),
                line: 1,
                column: 3,
                limit: None,
            };
            let is_constant = |text: &str| text == "known";
            let shown = without_values("c/a.yaml", &error, &is_constant);
            assert_eq!(shown, expect);
        };
        let at = "template: c/a.yaml:1:3: executing \"c/a.yaml\" at <.a | b>: ";
        let place = "c/a.yaml:1:3\n  executing \"c/a.yaml\" at <.a | b>:\n    ";
        let hidden = |text: &str| format!("{place}{text}{HIDDEN}");
        check(&format!("{at}range can't iterate over hunter2"), &hidden(""));
        check(
            &format!("{at}error calling b: cannot read hunter2: hunter2"),
            &hidden("error calling b: "),
        );
        check(
            &format!("{at}nil pointer evaluating interface {{}}.x"),
            &format!("{place}nil pointer evaluating interface {{}}.x"),
        );
        check(
            &format!("{at}error calling include: template: no template \"known\" associated with template \"gotpl\""),
            &format!(
                "{place}error calling include: template: no template \"known\" associated with template \"gotpl\""
            ),
        );
        check(
            &format!("{at}error calling include: template: no template \"hunter2\" associated with template \"gotpl\""),
            &hidden("error calling include: "),
        );
        check(
            &format!(
                "{at}error calling include: template: c/_h.tpl:2:5: executing \"x\" at <fail .y>: error calling fail: {START}hunter2{END}"
            ),
            &format!("execution error at (c/a.yaml:1:3): {HIDDEN}"),
        );
        check(
            &format!("{at}error calling fail: {START}known{END}"),
            "execution error at (c/a.yaml:1:3): known",
        );
        check(
            &format!(
                "{at}error calling tpl: error during tpl function execution for \"hunter2\": template: gotpl:1:2: executing \"gotpl\" at <hunter2>: nil pointer evaluating interface {{}}.hunter2"
            ),
            &hidden("error calling tpl: "),
        );
        check(
            &format!(
                "{at}error calling include: template: gotpl:1:2: executing \"gotpl\" at <hunter2>: nil pointer evaluating interface {{}}.hunter2"
            ),
            &format!("{place}error calling include:\ngotpl:1:2\n    {HIDDEN}"),
        );
        check("anything: hunter2", &format!("c/a.yaml:1:3: {HIDDEN}"));
    }

    #[test]
    fn what_fail_and_required_say_is_shown_alone() {
        let text = "template: c/templates/a.yaml:1:3: executing \"c/templates/a.yaml\" at <fail \"x\">: error calling fail: HELM_ERR_STARTx: yHELM_ERR_END";
        assert_eq!(reformat("f", text), "execution error at (c/templates/a.yaml:1:3): x: y");
    }

    #[test]
    fn a_trace_has_a_step_for_each_template() {
        let text = "template: c/a.yaml:1:3: executing \"c/a.yaml\" at <include \"x\" .>: error calling include: template: c/_h.tpl:2:5: executing \"x\" at <.a.b>: nil pointer evaluating interface {}.b";
        assert_eq!(
            reformat("f", text),
            "c/a.yaml:1:3\n  executing \"c/a.yaml\" at <include \"x\" .>:\n    error calling include:\nc/_h.tpl:2:5\n  executing \"x\" at <.a.b>:\n    nil pointer evaluating interface {}.b"
        );
        let text = "template: c/a.yaml:1:3: executing \"c/a.yaml\" at <.a | b>: error calling b: plain";
        assert_eq!(reformat("f", text), text);
    }
}
