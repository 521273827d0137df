//! How large an expression is, as Go counts before it compiles one, and what compiling it costs here.
//!
//! Go refuses repetitions that ask for more than 1,000 copies of anything, nested ones multiplied; trees that are higher
//! than 1,000; and programs of more than 128 MiB.

use alloc::vec::Vec;

/// The most copies of anything that repetitions may ask for.
pub(super) const MAX_COPIES: u64 = 1_000;
/// The highest tree.
const MAX_HEIGHT: u64 = 1_000;
/// The most instructions: 128 MiB of 40 bytes each.
const MAX_INSTRUCTIONS: u64 = (128 << 20) / 40;

/// Why an expression is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Excess {
    Copies,
    Height,
    Size,
}

/// A part of an expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Part {
    /// Go's instructions.
    instructions: u64,
    /// Our engine's states, about.
    states: u64,
    height: u64,
    /// The most copies of anything in it.
    copies: u64,
}

impl Part {
    const ONE: Self = Self {
        instructions: 1,
        states: 1,
        height: 1,
        copies: 1,
    };

    fn join(self, other: Self) -> Self {
        Self {
            instructions: self.instructions.saturating_add(other.instructions),
            states: self.states.saturating_add(other.states),
            height: self.height.max(other.height),
            copies: self.copies.max(other.copies),
        }
    }

    fn check(self) -> Result<(), Excess> {
        if self.instructions > MAX_INSTRUCTIONS {
            return Err(Excess::Size);
        }
        if self.height > MAX_HEIGHT {
            return Err(Excess::Height);
        }
        Ok(())
    }

    fn higher(self) -> Self {
        Self {
            height: self.height + 1,
            ..self
        }
    }
}

/// Parts side by side: `None` are none, a single one is itself.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    parts: u64,
    all: Part,
}

impl Row {
    fn push(&mut self, part: Part) {
        self.parts += 1;
        self.all = self.all.join(part);
    }

    fn close(self) -> Part {
        match self.parts {
            0 => Part::ONE,
            1 => self.all,
            _ => self.all.higher(),
        }
    }
}

/// What is open: the expression itself, or a group.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    captures: bool,
    alternatives: Row,
    sequence: Row,
    /// The last thing, which a repetition may follow.
    last: Option<Part>,
    last_is_literal: bool,
    /// Whether characters are what the sequence ends with: Go keeps a run of them as one.
    in_run: bool,
}

impl Level {
    fn end_alternative(&mut self) {
        self.settle();
        let sequence = core::mem::take(&mut self.sequence);
        self.alternatives.push(sequence.close());
        self.in_run = false;
    }

    /// The last thing can be repeated no more.
    fn settle(&mut self) {
        let is_literal = core::mem::take(&mut self.last_is_literal);
        let Some(last) = self.last.take() else { return };
        if is_literal && self.in_run {
            self.sequence.all = self.sequence.all.join(last);
        } else {
            self.sequence.push(last);
        }
        self.in_run = is_literal;
    }

    fn close(mut self) -> Part {
        self.end_alternative();
        let row = self.alternatives;
        let mut part = row.close();
        part.instructions += row.parts - 1;
        if self.captures {
            part.instructions += 2;
            part.states += 2;
            part.height += 1;
        }
        part
    }
}

/// The size of an expression that is read piece by piece.
#[derive(Debug, Default)]
pub(super) struct Size {
    outer: Vec<Level>,
    level: Level,
}

impl Size {
    /// One character.
    pub(super) fn literal(&mut self) {
        self.level.settle();
        self.level.last = Some(Part::ONE);
        self.level.last_is_literal = true;
    }

    /// Anything else that is matched, of so many states.
    pub(super) fn atom(&mut self, states: u64) {
        self.level.settle();
        self.level.last = Some(Part { states, ..Part::ONE });
    }

    pub(super) fn open(&mut self, captures: bool) {
        self.level.settle();
        let inner = Level {
            captures,
            ..Level::default()
        };
        self.outer.push(core::mem::replace(&mut self.level, inner));
    }

    pub(super) fn alternative(&mut self) {
        self.level.end_alternative();
    }

    pub(super) fn close(&mut self) -> Result<(), Excess> {
        let Some(outer) = self.outer.pop() else { return Ok(()) };
        let inner = core::mem::replace(&mut self.level, outer);
        let part = inner.close();
        self.level.last = Some(part);
        part.check()
    }

    /// `*`, `+` or `?` (from 0 or 1 on, without an end or to 1), or a count.
    pub(super) fn repeat(&mut self, least: u64, most: Option<u64>, counted: bool) -> Result<(), Excess> {
        let Some(mut part) = self.level.last.take() else {
            return Ok(());
        };
        self.level.last_is_literal = false;
        let times = most.unwrap_or(least);
        let sub = part.instructions;
        part.height += 1;
        part.instructions = match (least, most) {
            (0, None) => sub.saturating_add(2),
            (least, None) => sub.saturating_mul(least).saturating_add(1),
            (least, Some(most)) => sub.saturating_mul(most).saturating_add(most - least),
        };
        part.states = part.states.saturating_mul(times.max(1)).saturating_add(2 * times);
        if counted {
            part.copies = part.copies.saturating_mul(times);
            if (least >= 2 || most.is_some_and(|most| most >= 2)) && part.copies > MAX_COPIES {
                return Err(Excess::Copies);
            }
        }
        part.instructions = part.instructions.max(1);
        self.level.last = Some(part);
        part.check()
    }

    /// States of our engine that the whole needs, about.
    pub(super) fn finish(self) -> Result<u64, Excess> {
        let whole = self.level.close();
        whole.check()?;
        Ok(whole.states)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(what: impl FnOnce(&mut Size) -> Result<(), Excess>, expect: Result<u64, Excess>) {
        let mut size = Size::default();
        let read = what(&mut size);
        assert_eq!(read.and_then(|()| size.finish()), expect);
    }

    fn many(size: &mut Size, times: u64) -> Result<(), Excess> {
        size.repeat(times, Some(times), true)
    }

    #[test]
    fn copies_of_copies_are_counted() {
        check(
            |size| {
                size.open(true);
                size.literal();
                many(size, 100)?;
                size.close()?;
                many(size, 10)
            },
            Ok(3_040),
        );
        check(
            |size| {
                size.open(false);
                size.literal();
                many(size, 101)?;
                size.close()?;
                many(size, 10)
            },
            Err(Excess::Copies),
        );
        // What is asked for no time counts for nothing.
        check(
            |size| {
                size.open(false);
                size.literal();
                many(size, 1_000)?;
                size.close()?;
                many(size, 0)?;
                size.literal();
                many(size, 1_000)
            },
            Ok(6_000),
        );
    }

    #[test]
    fn a_tree_may_be_a_thousand_high() {
        let nested = |groups: usize| {
            move |size: &mut Size| {
                for _ in 0..groups {
                    size.open(true);
                }
                size.literal();
                (0..groups).try_for_each(|_| size.close())
            }
        };
        check(nested(999), Ok(1_999));
        check(nested(1_000), Err(Excess::Height));
    }
}
