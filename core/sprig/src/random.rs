//! Clock and random source: given by the caller, so that equal input gives equal output.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use convoy_template::value::Time;
use convoy_template::{CallError, Context, Functions, Str};
use sha2::{Digest as _, Sha256};

use crate::encoding::encode64;

type Result<T> = core::result::Result<T, CallError>;

/// What a draw is for. Two draws that differ in anything are independent; the same draw gives the same bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Draw<'a> {
    /// The template that is executing.
    pub template: &'a str,
    /// The function.
    pub function: &'a str,
    /// Its operands, as texts.
    pub arguments: &'a [Str],
    /// How often this template called this function with these operands before, in this rendering.
    pub ordinal: u64,
}

/// A source of random seeds.
pub trait Entropy: Send {
    /// The seed for a draw, from which all its bytes are made.
    fn seed(&mut self, draw: &Draw<'_>) -> [u8; 32];
}

/// The clock and the random source of one rendering: put it into the context with
/// [`put_state`](Context::put_state).
pub struct Randomness {
    now: Time,
    entropy: Box<dyn Entropy>,
    ordinals: BTreeMap<(String, &'static str, Vec<Str>), u64>,
}

impl fmt::Debug for Randomness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Randomness")
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

impl Randomness {
    /// A clock that stands at `now`, and a random source.
    #[must_use]
    pub fn new(now: Time, entropy: impl Entropy + 'static) -> Self {
        Self {
            now,
            entropy: Box::new(entropy),
            ordinals: BTreeMap::new(),
        }
    }
}

/// The instant that the clock of the context shows.
pub(crate) fn now(context: &mut Context) -> Result<Time> {
    match context.state::<Randomness>() {
        Some(randomness) => Ok(randomness.now.clone()),
        None => Err("there is no clock in this context".into()),
    }
}

/// Bytes of one draw: SHA-256 over seed and counter, block by block.
pub(crate) struct Stream {
    seed: [u8; 32],
    counter: u64,
    block: Vec<u8>,
}

impl Stream {
    pub(crate) fn byte(&mut self) -> u8 {
        loop {
            if let Some(byte) = self.block.pop() {
                return byte;
            }
            let mut hash = Sha256::new();
            hash.update(self.seed);
            hash.update(self.counter.to_be_bytes());
            self.counter += 1;
            self.block = hash.finalize().to_vec();
            self.block.reverse();
        }
    }

    /// The next `count` bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.byte()).collect()
    }

    /// A number below `bound`, all equally likely.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        let bound = bound.max(1);
        let most = u64::MAX - u64::MAX % bound;
        loop {
            let number = (0..8).fold(0, |number, _| number << 8 | u64::from(self.byte()));
            if number < most {
                return number % bound;
            }
        }
    }
}

/// Begins a draw.
pub(crate) fn draw(context: &mut Context, function: &'static str, arguments: &[Str]) -> Result<Stream> {
    let template = String::from(&**context.template());
    let Some(randomness) = context.state::<Randomness>() else {
        return Err("there is no random source in this context".into());
    };
    let key = (template, function, arguments.to_vec());
    let ordinal = randomness.ordinals.entry(key.clone()).or_insert(0);
    let number = *ordinal;
    *ordinal += 1;
    let seed = randomness.entropy.seed(&Draw {
        template: &key.0,
        function,
        arguments,
        ordinal: number,
    });
    Ok(Stream {
        seed,
        counter: 0,
        block: Vec::new(),
    })
}

pub(crate) fn register(functions: &mut Functions) {
    for (name, alphabet) in [
        ("randAlphaNum", is_alphanumeric as fn(u8) -> bool),
        ("randAlpha", is_letter),
        ("randNumeric", is_digit),
        ("randAscii", is_printable),
    ] {
        functions.add(name, move |context: &mut Context, count: isize| {
            text(context, name, count, alphabet)
        });
    }
    functions
        .add(
            "randInt",
            |context: &mut Context, min: isize, max: isize| -> Result<isize> {
                let range = max.wrapping_sub(min);
                if range <= 0 {
                    return Err("invalid argument to Intn".into());
                }
                let mut stream = draw(context, "randInt", &[shown(min), shown(max)])?;
                let offset = stream.below(range.unsigned_abs() as u64);
                Ok(min.wrapping_add(isize::try_from(offset).unwrap_or(0)))
            },
        )
        .add("randBytes", |context: &mut Context, count: isize| -> Result<String> {
            let count_text = shown(count);
            let Ok(count) = usize::try_from(count) else {
                return Err("runtime error: makeslice: len out of range".into());
            };
            context.afford_text(count.saturating_mul(2))?;
            let mut stream = draw(context, "randBytes", &[count_text])?;
            let bytes = stream.bytes(count);
            Ok(encode64(&bytes))
        })
        .add("uuidv4", |context: &mut Context| -> Result<String> {
            let mut stream = draw(context, "uuidv4", &[])?;
            let mut bytes: [u8; 16] = core::array::from_fn(|_| stream.byte());
            bytes[6] = bytes[6] & 0x0F | 0x40;
            bytes[8] = bytes[8] & 0x3F | 0x80;
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            Ok(format!(
                "{}-{}-{}-{}-{}",
                &hex[..8],
                &hex[8..12],
                &hex[12..16],
                &hex[16..20],
                &hex[20..]
            ))
        })
        .add("shuffle", |context: &mut Context, text: Str| -> Result<String> {
            context.spend(text.len() as u64)?;
            let mut stream = draw(context, "shuffle", core::slice::from_ref(&text))?;
            let mut chars: Vec<char> = text.to_text().chars().collect();
            for place in (1..chars.len()).rev() {
                let other = usize::try_from(stream.below(place as u64 + 1)).unwrap_or(0);
                chars.swap(place, other);
            }
            Ok(chars.into_iter().collect())
        });
}

fn shown(number: isize) -> Str {
    format!("{number}").into()
}

fn is_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic()
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

fn is_printable(byte: u8) -> bool {
    (b' '..=b'~').contains(&byte)
}

/// So many characters of an alphabet; none if the number is negative.
fn text(context: &mut Context, name: &'static str, count: isize, alphabet: fn(u8) -> bool) -> Result<String> {
    let count = usize::try_from(count).unwrap_or(0);
    context.afford_text(count.saturating_mul(16))?;
    let letters: Vec<u8> = (0..=127).filter(|byte| alphabet(*byte)).collect();
    let mut stream = draw(context, name, &[format!("{count}").into()])?;
    let mut letter = || {
        let place = usize::try_from(stream.below(letters.len() as u64)).unwrap_or(0);
        char::from(letters.get(place).copied().unwrap_or(b'0'))
    };
    Ok((0..count).map(|_| letter()).collect())
}
