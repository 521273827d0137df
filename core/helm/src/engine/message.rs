//! Errors of templates in the words and on the lines in which Helm prints them.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use convoy_template::{ExecError, ParseError};

use crate::error::Error;

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
        message,
        file: file.into(),
        line: error.line,
        column: 0,
    }
}

/// A template that failed while it was executed.
pub(super) fn exec_error(file: &str, error: &ExecError) -> Error {
    Error::Template {
        message: reformat(file, &error.text),
        file: if error.template.is_empty() {
            file.into()
        } else {
            error.template.clone()
        },
        line: error.line,
        column: error.column,
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
    if let Some(said) = rest.find(START).and_then(|start| {
        let end = rest.rfind(END)?;
        rest.get(start + START.len()..end)
    }) {
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

#[cfg(test)]
mod tests {
    use super::*;

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
