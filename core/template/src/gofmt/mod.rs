//! Go's `fmt`: `Print`, `Println` and `Printf` over values.
//!
//! # Invariant
//! Nothing here fails: what Go reports inside the text is reported there. Only a bound ends a printing early, and
//! then [`Printer::finish`] says so.

mod brief;
mod float;
mod layout;
mod print;
mod printf;

use alloc::vec::Vec;

pub(crate) use brief::Brief;
pub(crate) use float::format_float;

use crate::value::Heap;
use crate::{Limit, Value};

/// Flags, width and precision of one verb.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "they are the flags of a verb")]
struct Flags {
    width: Option<usize>,
    precision: Option<usize>,
    minus: bool,
    plus: bool,
    sharp: bool,
    space: bool,
    zero: bool,
    plus_v: bool,
    sharp_v: bool,
}

/// Writes values as Go does.
pub(crate) struct Printer<'h> {
    heap: &'h Heap,
    out: Vec<u8>,
    flags: Flags,
    /// Inside the report of a bad verb methods are not called.
    erroring: bool,
    /// Whether a pointer is followed, as an action does with what it shows.
    follows: bool,
    max: usize,
    breach: Option<Limit>,
}

impl<'h> Printer<'h> {
    /// A printer that stops after about `max` bytes.
    pub(crate) fn new(heap: &'h Heap, max: usize) -> Self {
        Self {
            heap,
            out: Vec::new(),
            flags: Flags::default(),
            erroring: false,
            follows: false,
            max,
            breach: None,
        }
    }

    /// The text, if it stayed within bounds.
    pub(crate) fn finish(self) -> Result<Vec<u8>, Limit> {
        match self.breach {
            Some(limit) => Err(limit),
            None => Ok(self.out),
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        if self.out.len().saturating_add(bytes.len()) > self.max {
            self.breach = self.breach.or(Some(Limit::Text(self.max)));
        } else {
            self.out.extend_from_slice(bytes);
        }
    }

    fn text(&mut self, text: &str) {
        self.write(text.as_bytes());
    }

    fn print(&mut self, values: &[Value]) {
        let mut after_string = false;
        for (place, value) in values.iter().enumerate() {
            let is_string = matches!(value, Value::String(_));
            if place > 0 && !is_string && !after_string {
                self.text(" ");
            }
            self.arg(value, 'v');
            after_string = is_string;
        }
    }

    fn char(&mut self, c: char) {
        self.text(c.encode_utf8(&mut [0; 4]));
    }
}

/// As `fmt.Sprint`: spaces between operands when neither is a string.
pub(crate) fn print(heap: &Heap, values: &[Value], max: usize) -> Result<Vec<u8>, Limit> {
    if let [value] = values
        && let Some(text) = Brief::of(value)
    {
        return if text.len() > max {
            Err(Limit::Text(max))
        } else {
            Ok(text.to_vec())
        };
    }
    let mut printer = Printer::new(heap, max);
    printer.print(values);
    printer.finish()
}

/// As an action shows values: pointers are followed, and nil is `<no value>`.
pub(crate) fn shown(heap: &Heap, values: &[Value], max: usize) -> Result<Vec<u8>, Limit> {
    let mut printer = Printer::new(heap, max);
    printer.follows = true;
    if values.iter().any(Value::is_nil) {
        let shown = |value: &Value| {
            if value.is_nil() {
                Value::string("<no value>")
            } else {
                value.clone()
            }
        };
        printer.print(&values.iter().map(shown).collect::<Vec<_>>());
    } else {
        printer.print(values);
    }
    printer.finish()
}

/// As `fmt.Sprintln`.
pub(crate) fn println(heap: &Heap, values: &[Value], max: usize) -> Result<Vec<u8>, Limit> {
    let mut printer = Printer::new(heap, max);
    for (place, value) in values.iter().enumerate() {
        if place > 0 {
            printer.text(" ");
        }
        printer.arg(value, 'v');
    }
    printer.text("\n");
    printer.finish()
}

/// As `fmt.Sprintf`.
pub(crate) fn printf(heap: &Heap, format: &[u8], values: &[Value], max: usize) -> Result<Vec<u8>, Limit> {
    let mut printer = Printer::new(heap, max);
    printer.out.reserve((format.len() + 16 * values.len()).min(max));
    printer.printf(format, values);
    printer.finish()
}

/// As `%v` of one value.
pub(crate) fn value(heap: &Heap, value: &Value, max: usize) -> Result<Vec<u8>, Limit> {
    print(heap, core::slice::from_ref(value), max)
}
