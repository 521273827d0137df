//! Tokens, and how errors show them.

use alloc::format;
use alloc::string::{String, ToString as _};

use crate::quote;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Error,
    Bool,
    Char,
    CharConstant,
    Complex,
    Assign,
    Declare,
    Eof,
    Field,
    Identifier,
    LeftDelim,
    LeftParen,
    Number,
    Pipe,
    RawString,
    RightDelim,
    RightParen,
    Space,
    String,
    Text,
    Variable,
    Dot,
    Nil,
    Block,
    Break,
    Continue,
    Define,
    Else,
    End,
    If,
    Range,
    Template,
    With,
}

impl Kind {
    /// The keyword `word`, if it is one.
    pub(crate) fn keyword(word: &str) -> Option<Self> {
        Some(match word {
            "block" => Self::Block,
            "break" => Self::Break,
            "continue" => Self::Continue,
            "define" => Self::Define,
            "else" => Self::Else,
            "end" => Self::End,
            "if" => Self::If,
            "range" => Self::Range,
            "nil" => Self::Nil,
            "template" => Self::Template,
            "with" => Self::With,
            _ => return None,
        })
    }

    fn is_keyword(self) -> bool {
        self as u8 >= Self::Dot as u8
    }
}

/// A token. Its text is part of the source, or the message of an error.
#[derive(Clone, Debug)]
pub(crate) struct Token<'s> {
    pub(crate) kind: Kind,
    /// Bytes of the source that it is.
    pub(crate) len: u32,
    pub(crate) pos: usize,
    pub(crate) line: usize,
    pub(crate) text: alloc::borrow::Cow<'s, str>,
}

impl Token<'_> {
    /// As errors show it.
    pub(crate) fn describe(&self) -> String {
        if self.kind == Kind::Eof {
            return "EOF".into();
        }
        if self.kind == Kind::Error {
            return self.text.to_string();
        }
        if self.kind.is_keyword() {
            return format!("<{}>", self.text);
        }
        if self.text.len() > 10 {
            let head: String = self.text.chars().take(10).collect();
            return format!("{}...", quote::quote(head.as_bytes(), false));
        }
        quote::quote(self.text.as_bytes(), false)
    }
}
