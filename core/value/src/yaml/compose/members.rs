//! A document of which only a few members are wanted: the rest is checked, and no value is made of it.
//!
//! # Invariant
//! What is answered is what reading everything and leaving out the rest gives. A document in which that is not plain to
//! see (names, aliases, merges, tags, errors) gets no answer here, and has to be read as a whole.

use alloc::borrow::Cow;

use super::mapping::Place;
use super::{Composer, Event};
use crate::yaml::event::{Located, Scalar, Tag};
use crate::yaml::resolve::{self, Resolved};
use crate::yaml::token::Style;
use crate::{Map, Value};

impl<'a> Composer<'a, '_> {
    /// The root mapping of the first document with the members whose keys are wanted; `None` asks for a whole reading.
    pub(in crate::yaml) fn members(&mut self, wanted: &dyn Fn(&str) -> bool) -> Option<Value> {
        self.event().ok()?;
        let (Event::MappingStart { anchor: None }, mark) = self.event().ok()? else {
            return None;
        };
        self.nodes = 1;
        self.deeper(mark).ok()?;
        self.count(0, mark).ok()?;
        let mut members = Map::new();
        loop {
            let event = self.event().ok()?;
            if matches!(event.0, Event::MappingEnd) {
                break;
            }
            let key = self.ordinary_key(event)?;
            let event = self.event().ok()?;
            if wanted(&key) {
                let value = self.node(event, Place::Nested).ok()?;
                members.insert(key, value);
            } else {
                self.pass_over(event)?;
            }
        }
        self.event().ok()?;
        let ordinary = self.anchors.is_empty()
            && self.gathered.is_empty()
            && self.not_finite.is_none()
            && self.unsupported.is_none();
        ordinary.then_some(Value::Object(members))
    }

    /// A key that is text, and nothing else.
    fn ordinary_key(&mut self, (event, mark): Located<'a>) -> Option<Cow<'a, str>> {
        let Event::Scalar { scalar, anchor: None } = event else {
            return None;
        };
        self.count(scalar.text.len(), mark).ok()?;
        let Scalar { text, style, tag } = scalar;
        let is_text = tag == Tag::None
            && text != "<<"
            && (style != Style::Plain || resolve::plain(&text, self.options.dialect) == Resolved::Str);
        is_text.then_some(text)
    }

    fn pass_over(&mut self, (event, mark): Located<'a>) -> Option<()> {
        match event {
            Event::Scalar { scalar, anchor: None } => {
                self.count(scalar.text.len(), mark).ok()?;
                (scalar.tag == Tag::None && !self.may_be_infinite(&scalar)).then_some(())
            }
            Event::SequenceStart { anchor: None } => {
                self.deeper(mark).ok()?;
                self.count(0, mark).ok()?;
                loop {
                    let event = self.event().ok()?;
                    if matches!(event.0, Event::SequenceEnd) {
                        break;
                    }
                    self.pass_over(event)?;
                }
                self.depth -= 1;
                Some(())
            }
            Event::MappingStart { anchor: None } => {
                self.deeper(mark).ok()?;
                self.count(0, mark).ok()?;
                loop {
                    let event = self.event().ok()?;
                    if matches!(event.0, Event::MappingEnd) {
                        break;
                    }
                    self.ordinary_key(event)?;
                    let event = self.event().ok()?;
                    self.pass_over(event)?;
                }
                self.depth -= 1;
                Some(())
            }
            Event::Scalar { .. }
            | Event::SequenceStart { .. }
            | Event::MappingStart { .. }
            | Event::Alias(_)
            | Event::StreamEnd
            | Event::DocumentStart
            | Event::DocumentEnd
            | Event::SequenceEnd
            | Event::MappingEnd => None,
        }
    }

    /// Whether JSON could be unable to hold it: only floats that begin with a point are not finite.
    fn may_be_infinite(&self, scalar: &Scalar<'a>) -> bool {
        let begins = matches!(
            scalar.text.as_bytes(),
            [b'.', b'i' | b'I' | b'n' | b'N', ..] | [b'+' | b'-', b'.', b'i' | b'I', ..]
        );
        scalar.style == Style::Plain
            && begins
            && !matches!(resolve::plain(&scalar.text, self.options.dialect), Resolved::Str)
    }
}
