//! What is wrong with a value, and how Helm prints it.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use crate::reason::Reason;

/// A place in the value, what is wrong there, and why that is so.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) place: Vec<String>,
    pub(super) kind: Kind,
    pub(super) causes: Vec<Failure>,
}

/// How a failure is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// With this text, or with the second where no value may be shown.
    Said(String, Option<String>),
    /// Several failures of one schema.
    Group,
    /// A reference, shown only when it holds several.
    Reference,
    /// A limit was passed: nothing else counts.
    Limit(String),
}

impl Failure {
    pub(super) fn new(place: &[String], text: impl Into<String>) -> Self {
        Self::with_causes(place, text, Vec::new())
    }

    pub(super) fn with_causes(place: &[String], text: impl Into<String>, causes: Vec<Self>) -> Self {
        Self {
            place: place.to_vec(),
            kind: Kind::Said(text.into(), None),
            causes,
        }
    }

    /// A failure whose text quotes the value, and the text without it.
    pub(super) fn hiding(place: &[String], text: impl Into<String>, shown: impl Into<String>) -> Self {
        Self {
            place: place.to_vec(),
            kind: Kind::Said(text.into(), Some(shown.into())),
            causes: Vec::new(),
        }
    }

    /// The lines of several, as Helm prints them and without values.
    pub(super) fn reason(self) -> Reason {
        let (mut go, mut shown) = (String::new(), String::new());
        for failure in self.flatten() {
            failure.show(0, false, &mut go);
            failure.show(0, true, &mut shown);
        }
        Reason::hiding(go, shown)
    }

    /// The limit that was passed, if any was.
    pub(super) fn limit(&self) -> Option<&str> {
        match &self.kind {
            Kind::Limit(limit) => Some(limit),
            Kind::Said(..) | Kind::Group | Kind::Reference => self.causes.iter().find_map(Self::limit),
        }
    }

    /// Nothing for none, the only one, or a group.
    pub(super) fn gather(place: &[String], mut failures: Vec<Self>) -> Result<(), Self> {
        match failures.len() {
            0 => Ok(()),
            1 => Err(failures.swap_remove(0)),
            _ => Err(Self {
                place: place.to_vec(),
                kind: Kind::Group,
                causes: failures,
            }),
        }
    }

    /// The failures that stand for a whole value: those of a group, or this one.
    pub(super) fn flatten(self) -> Vec<Self> {
        if self.kind == Kind::Group {
            self.causes
        } else {
            [self].into()
        }
    }

    /// Appends its lines, each with as many steps of two spaces before it; without values if they are to be hidden.
    pub(super) fn show(&self, indent: usize, hides: bool, out: &mut String) {
        let skipped = self.kind == Kind::Reference && self.causes.len() == 1;
        if !skipped {
            for _ in 0..indent {
                out.push_str("  ");
            }
            let text = match &self.kind {
                Kind::Said(_, Some(shown)) if hides => shown,
                Kind::Said(text, _) | Kind::Limit(text) => text,
                Kind::Group | Kind::Reference => "validation failed",
            };
            out.push_str(&format!("- at {}: {text}\n", quote(&pointer(&self.place))));
        }
        for cause in &self.causes {
            cause.show(indent + usize::from(!skipped), hides, out);
        }
    }
}

/// A JSON pointer.
pub(super) fn pointer(place: &[String]) -> String {
    let mut text = String::new();
    for part in place {
        text.push('/');
        text.push_str(&part.replace('~', "~0").replace('/', "~1"));
    }
    text
}

/// In single quotes, escaped as Go escapes.
pub(super) fn quote(text: &str) -> String {
    let mut out = String::from("'");
    for c in text.chars() {
        match c {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if (c as u32) < 0x20 || c == '\x7f' => out.push_str(&format!("\\x{:02x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

/// Several in quotes, with commas between.
pub(super) fn quote_all<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    texts.into_iter().map(quote).collect::<Vec<_>>().join(", ")
}

/// A count, with commas between thousands.
pub(super) fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
