//! Block scalars: `|` and `>`.

use alloc::borrow::Cow;
use alloc::string::String;

use super::error::Mark;
use super::scanner::{Scan, Scanner};
use super::token::{Kind, Style};

/// What happens to the line breaks at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    Strip,
    Clip,
    Keep,
}

impl Scanner<'_> {
    pub(super) fn scan_block_scalar(&mut self, literal: bool) -> Scan<()> {
        let mark = self.cursor.mark();
        self.cursor.skip(1);
        let (chomping, increment) = self.block_header(mark)?;
        // 0 asks for the indentation of the first line that is not empty.
        let mut indent = if increment > 0 {
            self.indent.max(0) + increment
        } else {
            0
        };
        let mut text = String::new();
        let mut leading_break = "";
        let mut trailing = String::new();
        let mut leading_blank = false;
        self.block_breaks(&mut indent, &mut trailing, mark)?;
        while i64::from(self.cursor.column()) == indent && !self.cursor.at_end() {
            let blank = self.cursor.is_blank(0);
            if !literal && !leading_blank && !blank && leading_break == "\n" {
                if trailing.is_empty() {
                    text.push(' ');
                }
            } else {
                text.push_str(leading_break);
            }
            text.push_str(&trailing);
            trailing.clear();
            leading_blank = blank;
            text.push_str(self.cursor.take_line());
            leading_break = self.cursor.take_break();
            self.block_breaks(&mut indent, &mut trailing, mark)?;
        }
        if chomping != Chomping::Strip {
            text.push_str(leading_break);
        }
        if chomping == Chomping::Keep {
            text.push_str(&trailing);
        }
        let kind = Kind::Scalar {
            text: Cow::Owned(text),
            style: if literal { Style::Block } else { Style::Folded },
        };
        self.push(kind, mark);
        Ok(())
    }

    /// The indicators behind `|` or `>`, in either order, and the rest of that line.
    fn block_header(&mut self, mark: Mark) -> Scan<(Chomping, i64)> {
        let mut chomping = self.chomping_indicator();
        let mut increment = 0;
        let digit = self.cursor.peek(0);
        if digit.is_ascii_digit() {
            if digit == b'0' {
                return self.fail("found an indentation indicator equal to 0", mark);
            }
            increment = i64::from(digit - b'0');
            self.cursor.skip(1);
            if chomping.is_none() {
                chomping = self.chomping_indicator();
            }
        }
        while self.cursor.is_blank(0) {
            self.cursor.skip(1);
        }
        if self.cursor.peek(0) == b'#' {
            self.cursor.take_line();
        }
        if !self.cursor.is_breakz(0) {
            return self.fail("did not find expected comment or line break", mark);
        }
        self.cursor.take_break();
        Ok((chomping.unwrap_or(Chomping::Clip), increment))
    }

    fn chomping_indicator(&mut self) -> Option<Chomping> {
        let chomping = match self.cursor.peek(0) {
            b'+' => Chomping::Keep,
            b'-' => Chomping::Strip,
            _ => return None,
        };
        self.cursor.skip(1);
        Some(chomping)
    }

    /// Passes over indentation and empty lines; finds the indentation if it is not known yet.
    fn block_breaks(&mut self, indent: &mut i64, breaks: &mut String, mark: Mark) -> Scan<()> {
        let mut deepest = 0;
        loop {
            let column = i64::from(self.cursor.column());
            let spaces = self.cursor.rest().iter().take_while(|&&b| b == b' ').count();
            let room = if *indent == 0 {
                usize::MAX
            } else {
                usize::try_from(*indent - column).unwrap_or(0)
            };
            self.cursor.skip(spaces.min(room));
            let column = i64::from(self.cursor.column());
            deepest = deepest.max(column);
            if (*indent == 0 || column < *indent) && self.cursor.peek(0) == b'\t' {
                let problem = "found a tab character where an indentation space is expected";
                return self.fail(problem, mark);
            }
            let value = self.cursor.take_break();
            if value.is_empty() {
                break;
            }
            breaks.push_str(value);
        }
        if *indent == 0 {
            *indent = deepest.max(self.indent + 1).max(1);
        }
        Ok(())
    }
}
