//! The block structure: libyaml's emitter for mappings and sequences without anchors and tags.
//!
//! The emitter decides from three facts whether a line break is due: the column, whether the last thing written
//! was white space, and whether only indentation and indicators stand on the line.

use alloc::borrow::Cow;
use alloc::string::String;

use super::order;
use super::scalar::{self, Style};
use crate::{Map, Number, Value, gofloat};

/// Spaces for each level.
const INDENT: usize = 2;
/// The column behind which a scalar is folded.
pub(super) const WIDTH: usize = 80;
/// The longest key, in bytes, that is written in front of its `:`; a longer one stands behind `?`.
const MAX_SIMPLE_KEY: usize = 128;

pub(super) struct Writer<C> {
    pub(super) out: String,
    pub(super) column: usize,
    /// Indentation of the collection at hand; none outside of all.
    indent: Option<usize>,
    /// Indentation of the lines of the scalar at hand.
    pub(super) scalar_indent: usize,
    pub(super) whitespace: bool,
    pub(super) indention: bool,
    lossless: bool,
    convert: C,
}

/// Where a node stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Root,
    Item,
    Value,
    SimpleKey,
    ComplexKey,
}

/// Writes one document; `convert` says what a string (a key or not) is written as. A `lossless` writer departs from
/// Go's where that would not read back as the same value.
pub(super) fn write<E, C>(value: &Value, lossless: bool, convert: C) -> Result<String, E>
where
    C: Fn(&str, bool) -> Result<Cow<'_, str>, E>,
{
    let mut writer = Writer {
        out: String::new(),
        column: 0,
        indent: None,
        scalar_indent: INDENT,
        whitespace: true,
        indention: true,
        lossless,
        convert,
    };
    writer.node(value, Place::Root)?;
    writer.line(0);
    Ok(writer.out)
}

impl<C> Writer<C> {
    pub(super) fn line_break(&mut self) {
        self.out.push('\n');
        self.column = 0;
    }

    pub(super) fn put(&mut self, c: char) {
        self.out.push(c);
        self.column += 1;
    }

    /// Goes to column `indent`, on a new line if something else than indentation stands on this one.
    pub(super) fn line(&mut self, indent: usize) {
        if !self.indention || self.column > indent || (self.column == indent && !self.whitespace) {
            self.line_break();
        }
        while self.column < indent {
            self.put(' ');
        }
        self.whitespace = true;
        self.indention = true;
    }

    pub(super) fn indicator(&mut self, text: &str, need_whitespace: bool, whitespace: bool, indention: bool) {
        if need_whitespace && !self.whitespace {
            self.put(' ');
        }
        self.out.push_str(text);
        self.column += text.len();
        self.whitespace = whitespace;
        self.indention = self.indention && indention;
    }
}

impl<E, C> Writer<C>
where
    C: Fn(&str, bool) -> Result<Cow<'_, str>, E>,
{
    fn node(&mut self, value: &Value, place: Place) -> Result<(), E> {
        match value {
            Value::Null => self.plain("null", place),
            Value::Bool(true) => self.plain("true", place),
            Value::Bool(false) => self.plain("false", place),
            Value::Number(number) if self.lossless && is_negative_zero(number) => self.plain("-0.0", place),
            Value::Number(number) => self.plain(&number_text(number), place),
            Value::String(text) => {
                let text = (self.convert)(text, false)?;
                self.text(&text, place);
            }
            Value::Array(items) if items.is_empty() => self.empty("[", "]"),
            Value::Array(items) => self.sequence(items, place)?,
            Value::Object(map) if map.is_empty() => self.empty("{", "}"),
            Value::Object(map) => self.mapping(map)?,
        }
        Ok(())
    }

    fn empty(&mut self, open: &str, close: &str) {
        self.indicator(open, true, true, false);
        self.indicator(close, false, false, false);
    }

    fn sequence(&mut self, items: &[Value], place: Place) -> Result<(), E> {
        let outer = self.indent;
        // A sequence right behind a key stays at the key's indentation.
        let compact = place == Place::Value && !self.indention;
        self.indent = Some(match outer {
            None => 0,
            Some(indent) if compact => indent,
            Some(indent) => indent + INDENT,
        });
        for item in items {
            self.line(self.indent.unwrap_or(0));
            self.indicator("-", true, false, true);
            self.node(item, Place::Item)?;
        }
        self.indent = outer;
        Ok(())
    }

    fn mapping(&mut self, map: &Map) -> Result<(), E> {
        let outer = self.indent;
        let indent = outer.map_or(0, |indent| indent + INDENT);
        self.indent = Some(indent);
        for (key, value) in order::entries(map) {
            self.line(indent);
            let key = (self.convert)(key, true)?;
            if self.lossless && key == "<<" {
                self.indicator("\"<<\":", true, false, false);
            } else if key.len() <= MAX_SIMPLE_KEY && !scalar::is_multiline(&key) {
                self.text(&key, Place::SimpleKey);
                self.indicator(":", false, false, false);
            } else {
                self.indicator("?", true, false, true);
                self.text(&key, Place::ComplexKey);
                self.line(indent);
                self.indicator(":", true, false, true);
            }
            self.node(value, Place::Value)?;
        }
        self.indent = outer;
        Ok(())
    }

    fn plain(&mut self, text: &str, place: Place) {
        self.scalar_indent = self.indent.map_or(INDENT, |indent| indent + INDENT);
        self.write_scalar(text, Style::Plain, place);
    }

    fn text(&mut self, text: &str, place: Place) {
        self.scalar_indent = self.indent.map_or(INDENT, |indent| indent + INDENT);
        self.write_scalar(text, scalar::style(text, place == Place::SimpleKey), place);
    }
}

fn is_negative_zero(number: &Number) -> bool {
    matches!(number, Number::Float(f) if *f == 0.0 && f.is_sign_negative())
}

/// A number as go-yaml writes what it makes of the number's JSON: a whole one is an integer up to 64 bits.
fn number_text(number: &Number) -> String {
    let mut out = String::new();
    let f = match number {
        Number::Float(f) if !f.is_finite() => {
            gofloat::push_general64(&mut out, *f);
            return out;
        }
        Number::Int(_) | Number::Uint(_) => {
            crate::json::push_number(&mut out, number);
            return out;
        }
        Number::Float(_) | Number::Big(_) => number.as_f64(),
    };
    gofloat::push_json(&mut out, f);
    if out == "-0" {
        out.remove(0);
    }
    if out.contains(['.', 'e']) || (out.parse::<i64>().is_err() && out.parse::<u64>().is_err()) {
        out.clear();
        gofloat::push_general64(&mut out, f);
    }
    out
}
