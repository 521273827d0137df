//! Scalars: what they resolve to, as values.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString as _};

use super::mapping::Key;
use super::{Anchor, Composer, NODE_BYTES, Result, plain_error};
use crate::yaml::error::{Dialect, Error, ErrorKind, Mark};
use crate::yaml::event::{Scalar, Tag};
use crate::yaml::kustomize::{FOLDED, NOTHING};
use crate::yaml::resolve::{self, Resolved};
use crate::yaml::timestamp;
use crate::yaml::token::Style;
use crate::{Number, Numbers, Value, serde_impls::integral};

impl<'a> Composer<'a, '_> {
    pub(super) fn scalar(&mut self, scalar: Scalar<'a>, anchor: Option<&'a str>, mark: Mark) -> Result<Value> {
        if let Some(name) = anchor {
            self.anchors.insert(name, None);
        }
        self.count(scalar.text.len(), mark)?;
        let resolved = self.resolve(&scalar, mark)?;
        let Some(name) = anchor else {
            return self.scalar_value(scalar, resolved, mark);
        };
        let key = self.key_of(scalar.clone(), &resolved, mark)?;
        let key = Key {
            text: Cow::Owned(key.text.into_owned()),
            source: key.source.map(|source| Cow::Owned(source.into_owned())),
            ..key
        };
        let bytes = scalar.text.len() + NODE_BYTES;
        let value = self.scalar_value(scalar, resolved, mark)?;
        self.anchors.insert(
            name,
            Some(Anchor {
                value: value.clone(),
                key: Some(key),
                nodes: 1,
                bytes,
            }),
        );
        Ok(value)
    }

    pub(super) fn resolve(&self, scalar: &Scalar<'a>, mark: Mark) -> Result<Resolved> {
        let dialect = self.options.dialect;
        match (scalar.tag, scalar.style, dialect) {
            (Tag::None, Style::Plain, _) | (Tag::NonSpecific, Style::Plain, Dialect::Kustomize) => {
                Ok(resolve::plain(&scalar.text, dialect))
            }
            (Tag::None | Tag::NonSpecific | Tag::Other | Tag::Merge | Tag::Binary, _, _) => Ok(Resolved::Str),
            (tag, _, _) => resolve::tagged(tag, &scalar.text, dialect).map_err(|found| {
                // The text is not shown: it may be a secret.
                let (found, tag) = (found.tag().short(), tag.short());
                let message = format!("the value is a {found} and not what its tag {tag} says");
                let go = format!("yaml: cannot decode {found} `{}` as a {tag}", scalar.text);
                Error::new(ErrorKind::Value, message, mark, go)
            }),
        }
    }

    fn scalar_value(&mut self, scalar: Scalar<'a>, resolved: Resolved, mark: Mark) -> Result<Value> {
        if self.options.numbers == Numbers::AsWritten && resolved != Resolved::Str {
            if let Resolved::Float(f) = resolved {
                self.float(f, mark);
            }
            if scalar.in_flow && scalar.text.is_empty() && scalar.tag == Tag::None {
                return Ok(Value::Number(Number::Big(NOTHING.to_string().into())));
            }
            return Ok(Value::Number(Number::Big(scalar.text.into())));
        }
        if self.options.numbers == Numbers::AsWritten && scalar.style == Style::Folded {
            let marked = format!("{FOLDED}{}", scalar.text);
            return Ok(Value::Number(Number::Big(marked.into())));
        }
        Ok(match resolved {
            Resolved::Null => Value::Null,
            Resolved::Bool(b) => Value::Bool(b),
            Resolved::Int(i) => self.integer(i),
            Resolved::Uint(u) => self.unsigned(u),
            Resolved::Float(f) => self.float(f, mark),
            Resolved::Big(digits, f) => match self.options.numbers {
                Numbers::Exact | Numbers::AsWritten => Value::Number(Number::Big(digits)),
                Numbers::Float => self.float(f, mark),
            },
            Resolved::Timestamp if self.options.dialect == Dialect::Kustomize => {
                timestamp::to_rfc3339(&scalar.text).map_or(Value::Null, Value::String)
            }
            Resolved::Str if scalar.tag == Tag::Binary => Value::String(decode_binary(&scalar.text, mark)?),
            Resolved::Str | Resolved::Timestamp => Value::String(scalar.text.into_owned()),
        })
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "the nearest float is what Go's JSON reader makes of the digits"
    )]
    fn integer(&self, i: i64) -> Value {
        match self.options.numbers {
            Numbers::Exact | Numbers::AsWritten => Value::Number(Number::Int(i)),
            Numbers::Float => Value::Number(Number::Float(i as f64)),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "the nearest float is what Go's JSON reader makes of the digits"
    )]
    fn unsigned(&self, u: u64) -> Value {
        match self.options.numbers {
            Numbers::Exact | Numbers::AsWritten => Value::Number(Number::Uint(u)),
            Numbers::Float => Value::Number(Number::Float(u as f64)),
        }
    }

    fn float(&mut self, f: f64, mark: Mark) -> Value {
        if !f.is_finite() && self.not_finite.is_none() {
            self.not_finite = Some(mark);
        }
        // JSON writes a whole float without a point, so that the next reader sees an integer.
        match (self.options.numbers, integral(f)) {
            (Numbers::Exact, Some(i)) => Value::Number(Number::Int(i)),
            _ => Value::Number(Number::Float(f)),
        }
    }
}

/// The text that `!!binary` stands for.
pub(super) fn decode_binary(text: &str, mark: Mark) -> Result<String> {
    resolve::binary(text)
        .ok_or_else(|| plain_error(ErrorKind::Value, "!!binary value contains invalid base64 data", mark))
}
