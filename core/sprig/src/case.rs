//! Upper, lower, title, camel, snake and kebab case.

use alloc::string::String;
use alloc::vec::Vec;

use convoy_template::unicode::{is_digit, is_letter, to_lower, to_title, to_upper};
use convoy_template::{Characters, Context, Functions, Limit, Str, lossy};

pub(crate) fn register(functions: &mut Functions) {
    functions
        .add("upper", |context: &mut Context, text: Str| {
            map(context, &text, (u8::to_ascii_uppercase, to_upper))
        })
        .add("lower", |context: &mut Context, text: Str| {
            map(context, &text, (u8::to_ascii_lowercase, to_lower))
        })
        .add("title", |_: &mut Context, text: Str| title(&text))
        .add("untitle", |_: &mut Context, text: Str| untitle(&text))
        .add("swapcase", |_: &mut Context, text: Str| swap(&text))
        .add("camelcase", |_: &mut Context, text: Str| pascal(&text))
        .add("snakecase", |_: &mut Context, text: Str| lower_words(&text, '_'))
        .add("kebabcase", |_: &mut Context, text: Str| lower_words(&text, '-'));
}

/// A change of one character: of a byte of ASCII, and of any.
type Change = (fn(&u8) -> u8, fn(char) -> char);

/// Changes each character, by the faster function where all are ASCII; paid for piece by piece.
fn map(context: &mut Context, text: &Str, (ascii, change): Change) -> Result<Vec<u8>, Limit> {
    const PIECE: usize = 64 << 10;
    let mut out = Vec::with_capacity(text.len());
    if text.is_ascii() {
        for piece in text.chunks(PIECE) {
            context.spend(piece.len() as u64 / 64)?;
            out.extend(piece.iter().map(ascii));
        }
        return Ok(out);
    }
    let characters = text.to_text();
    for (count, c) in characters.chars().enumerate() {
        if count % PIECE == 0 {
            context.spend(PIECE.min(text.len()) as u64 / 16)?;
        }
        out.extend_from_slice(change(c).encode_utf8(&mut [0; 4]).as_bytes());
    }
    Ok(out)
}

/// What separates words for `strings.Title`.
fn is_separator(c: char) -> bool {
    if c.is_ascii() {
        return !(c.is_ascii_alphanumeric() || c == '_');
    }
    !is_letter(c) && !is_digit(c) && c.is_whitespace()
}

fn title(text: &Str) -> String {
    let mut previous = ' ';
    let change = |c| {
        let start = is_separator(previous);
        previous = c;
        if start { to_title(c) } else { c }
    };
    text.to_text().chars().map(change).collect()
}

fn untitle(text: &Str) -> String {
    let mut start = true;
    let change = |c: char| {
        if c.is_whitespace() {
            start = true;
            c
        } else if core::mem::take(&mut start) {
            to_lower(c)
        } else {
            c
        }
    };
    text.to_text().chars().map(change).collect()
}

fn swap(text: &Str) -> String {
    let mut after_space = true;
    let change = |c: char| {
        if is_upper(c) || to_title(c) == c && to_lower(c) != c {
            after_space = false;
            to_lower(c)
        } else if c.is_lowercase() {
            if core::mem::take(&mut after_space) {
                to_title(c)
            } else {
                to_upper(c)
            }
        } else {
            after_space = c.is_whitespace();
            c
        }
    };
    text.to_text().chars().map(change).collect()
}

fn is_upper(c: char) -> bool {
    c.is_uppercase()
}

fn is_connector(c: char) -> bool {
    c == '-' || c == '_' || c.is_whitespace()
}

/// Words run together, each with a capital; connectors at both ends stay.
fn pascal(text: &Str) -> String {
    let text = text.to_text();
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    let mut current = None;
    let mut first_is_upper = false;
    for c in chars.by_ref() {
        if is_connector(c) {
            out.push(c);
            continue;
        }
        first_is_upper = is_upper(c);
        current = Some(to_upper(c));
        break;
    }
    let Some(mut current) = current else {
        return only_connectors(&text);
    };
    for c in chars {
        let previous = core::mem::replace(&mut current, c);
        if is_connector(c) && is_connector(previous) {
            out.push(previous);
        } else if is_connector(previous) {
            first_is_upper = is_upper(c);
            current = to_upper(c);
        } else {
            if first_is_upper {
                if is_upper(c) {
                    current = to_lower(c);
                } else {
                    first_is_upper = false;
                }
            }
            out.push(previous);
        }
    }
    out.push(current);
    out
}

/// A text of connectors only gets its last one twice: a flaw that is kept.
fn only_connectors(text: &str) -> String {
    let mut out = String::from(text);
    out.extend(text.chars().last());
    out
}

/// Kinds of words that a text falls into.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Invalid,
    Number,
    Upper,
    Alphabet,
    Connector,
    Punctuation,
    Other,
}

/// Whether the character is a letter that has no upper case form of its own here: lower case and scripts without
/// case, as `xstrings` sees letters.
fn is_alphabet(c: char) -> bool {
    is_letter(c) && !is_han_like(c)
}

/// Scripts whose letters stand for words.
fn is_han_like(c: char) -> bool {
    matches!(u32::from(c), 0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x3040..=0x30FF | 0xAC00..=0xD7AF | 0x20000..=0x3134F)
}

fn is_punctuation(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, '!'..='#' | '%'..='*' | ','..='/' | ':' | ';' | '?' | '@' | '['..=']' | '_' | '{' | '}');
    }
    matches!(u32::from(c), 0xA1 | 0xA7 | 0xAB | 0xB6 | 0xB7 | 0xBB | 0xBF | 0x2010..=0x2027 | 0x2030..=0x205E
        | 0x3001..=0x3003 | 0x3008..=0x3011 | 0xFF01..=0xFF03 | 0xFF05..=0xFF0A | 0xFF0C..=0xFF0F)
}

/// A character, and its bytes behind those before it that are none: they go where it goes.
#[derive(Clone, Copy)]
struct Letter<'t> {
    c: char,
    bytes: &'t [u8],
}

/// The characters of a text; what is none at its end goes where the last one goes.
fn letters(text: &[u8]) -> Vec<Letter<'_>> {
    let characters = Characters::new(text);
    let mut letters: Vec<Letter<'_>> = Vec::with_capacity(text.len());
    let mut start = 0;
    for (at, c) in characters.text().char_indices() {
        if c != char::REPLACEMENT_CHARACTER {
            let end = characters.place(at + c.len_utf8());
            letters.push(Letter {
                c,
                bytes: text.get(start..end).unwrap_or(&[]),
            });
            start = end;
        }
    }
    if start < text.len() {
        letters.push(Letter {
            c: letters.last().map_or(char::REPLACEMENT_CHARACTER, |last| last.c),
            bytes: text.get(start..).unwrap_or(&[]),
        });
    }
    letters
}

fn take_while(letters: &[Letter<'_>], start: usize, keep: impl Fn(char) -> bool) -> usize {
    start + letters.iter().skip(start).take_while(|letter| keep(letter.c)).count()
}

/// The first word: its kind and its length.
fn next_word(letters: &[Letter<'_>]) -> (Word, usize) {
    let Some(first) = letters.first().map(|letter| letter.c) else {
        return (Word::Invalid, 0);
    };
    if first == char::REPLACEMENT_CHARACTER {
        return (Word::Invalid, 1);
    }
    if is_connector(first) {
        (Word::Connector, take_while(letters, 1, is_connector))
    } else if is_punctuation(first) {
        (Word::Punctuation, take_while(letters, 1, is_punctuation))
    } else if is_upper(first) {
        (Word::Upper, upper_word(letters))
    } else if is_alphabet(first) {
        (
            Word::Alphabet,
            take_while(letters, 1, |c| is_alphabet(c) && !is_upper(c)),
        )
    } else if first.is_numeric() {
        (Word::Number, take_while(letters, 1, char::is_numeric))
    } else {
        let other = |c: char| !(is_connector(c) || is_alphabet(c) || c.is_numeric() || is_punctuation(c));
        (Word::Other, take_while(letters, 1, other))
    }
}

/// `HTTPStatus` is `HTTP` and `Status`.
fn upper_word(letters: &[Letter<'_>]) -> usize {
    match letters.get(1).map(|letter| letter.c) {
        Some(second) if is_upper(second) => {
            let end = take_while(letters, 2, is_upper);
            if letters.get(end).is_some_and(|letter| is_alphabet(letter.c)) {
                end - 1
            } else {
                end
            }
        }
        Some(second) if is_alphabet(second) => take_while(letters, 2, |c| is_alphabet(c) && !is_upper(c)),
        _ => 1,
    }
}

/// Splits words off a text, and writes them in lower case.
struct Words<'t> {
    rest: &'t [Letter<'t>],
    kind: Word,
    word: &'t [Letter<'t>],
    out: Vec<u8>,
    connector: char,
}

impl Words<'_> {
    fn advance(&mut self) {
        let (kind, len) = next_word(self.rest);
        let (word, rest) = self.rest.split_at(len.min(self.rest.len()));
        self.kind = kind;
        self.word = word;
        self.rest = rest;
    }

    fn push(&mut self, c: char) {
        self.out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn write(&mut self, kind: Word, word: &[Letter<'_>]) {
        for letter in word {
            if !matches!(kind, Word::Upper | Word::Connector) {
                self.out.extend_from_slice(letter.bytes);
                continue;
            }
            for c in lossy(letter.bytes).chars() {
                self.push(match c {
                    _ if is_connector(c) => self.connector,
                    _ if is_upper(c) => to_lower(c),
                    _ => c,
                });
            }
        }
    }

    fn connect_unless(&mut self, kinds: &[Word]) {
        if !kinds.contains(&self.kind) {
            self.push(self.connector);
        }
    }

    /// Writes words and numbers that belong together.
    fn run(&mut self) {
        while matches!(self.kind, Word::Alphabet | Word::Number) {
            let (kind, word) = (self.kind, self.word);
            self.write(kind, word);
            self.advance();
        }
    }
}

fn lower_words(text: &Str, connector: char) -> Vec<u8> {
    let letters = letters(text);
    let mut words = Words {
        rest: &letters,
        kind: Word::Invalid,
        word: &[],
        out: Vec::with_capacity(text.len() + 8),
        connector,
    };
    words.advance();
    while !words.rest.is_empty() {
        let (previous, last) = (words.kind, words.word);
        if previous != Word::Connector {
            words.write(previous, last);
        }
        words.advance();
        match previous {
            Word::Number => {
                words.run();
                words.connect_unless(&[Word::Invalid, Word::Punctuation, Word::Connector]);
            }
            Word::Connector => words.write(previous, last),
            Word::Punctuation => {}
            _ if words.kind != Word::Number => words.connect_unless(&[Word::Connector, Word::Punctuation]),
            _ => after_letters(&mut words),
        }
    }
    let (kind, word) = (words.kind, words.word);
    words.write(kind, word);
    words.out
}

/// A number behind letters belongs to them, unless lower-case letters follow it.
fn after_letters(words: &mut Words<'_>) {
    if words.rest.is_empty() {
        return;
    }
    let number = words.word;
    words.advance();
    if words.kind == Word::Alphabet {
        words.push(words.connector);
        words.write(Word::Number, number);
        words.run();
        words.connect_unless(&[Word::Invalid, Word::Connector, Word::Punctuation]);
    } else {
        words.write(Word::Number, number);
        words.connect_unless(&[Word::Connector, Word::Punctuation]);
    }
}
