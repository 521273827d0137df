//! `derivePassword`: the algorithm of Master Password, version 3 less its counting of characters.
//!
//! scrypt makes a key of password and user, HMAC-SHA-256 a seed of key, site and counter, and the seed chooses a
//! pattern and a character for each of its letters.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::slice::IterMut;

use convoy_template::value::{Type, UintKind};
use convoy_template::{CallError, Context, Functions, Parameter, Str, Value};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

const NAME: &[u8] = b"com.lyndir.masterpassword";

/// About 200 ms of work, as steps: so dear that a whole render's steps buy some seconds.
const COST: u64 = 2_000_000;

/// Bytes that the derivation holds while it runs.
const MEMORY: usize = 32 << 20;

/// Patterns by type of password. A letter stands for a class of characters.
const PATTERNS: &[(&str, &[&str])] = &[
    ("maximum", &["anoxxxxxxxxxxxxxxxxx", "axxxxxxxxxxxxxxxxxno"]),
    (
        "long",
        &[
            "CvcvnoCvcvCvcv",
            "CvcvCvcvnoCvcv",
            "CvcvCvcvCvcvno",
            "CvccnoCvcvCvcv",
            "CvccCvcvnoCvcv",
            "CvccCvcvCvcvno",
            "CvcvnoCvccCvcv",
            "CvcvCvccnoCvcv",
            "CvcvCvccCvcvno",
            "CvcvnoCvcvCvcc",
            "CvcvCvcvnoCvcc",
            "CvcvCvcvCvccno",
            "CvccnoCvccCvcv",
            "CvccCvccnoCvcv",
            "CvccCvccCvcvno",
            "CvcvnoCvccCvcc",
            "CvcvCvccnoCvcc",
            "CvcvCvccCvccno",
            "CvccnoCvcvCvcc",
            "CvccCvcvnoCvcc",
            "CvccCvcvCvccno",
        ],
    ),
    ("medium", &["CvcnoCvc", "CvcCvcno"]),
    ("short", &["Cvcn"]),
    ("basic", &["aaanaaan", "aannaaan", "aaannaaa"]),
    ("pin", &["nnnn"]),
];

fn characters(class: u8) -> &'static [u8] {
    match class {
        b'V' => b"AEIOU",
        b'C' => b"BCDFGHJKLMNPQRSTVWXYZ",
        b'v' => b"aeiou",
        b'c' => b"bcdfghjklmnpqrstvwxyz",
        b'A' => b"AEIOUBCDFGHJKLMNPQRSTVWXYZ",
        b'a' => b"AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz",
        b'n' => b"0123456789",
        b'o' => b"@&%?,=[]_:-+*$#!'^~;()/.",
        _ => b"AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()",
    }
}

/// A `uint32`.
struct Counter(u32);

impl Parameter for Counter {
    fn go_type() -> Type {
        Type::Uint(UintKind::Uint32)
    }

    fn take(operands: &mut IterMut<'_, Value>) -> Option<Self> {
        match operands.next() {
            // A constant that does not fit wraps, as in Go.
            #[expect(clippy::cast_possible_truncation, reason = "as Go converts")]
            Some(Value::Uint(_, counter)) => Some(Self(*counter as u32)),
            _ => None,
        }
    }
}

pub(super) fn register(functions: &mut Functions) {
    functions.add(
        "derivePassword",
        |context: &mut Context, counter: Counter, kind: Str, password: Str, user: Str, site: Str| {
            derive(context, counter.0, &kind, &password, [&user, &site])
        },
    );
}

fn derive(
    context: &mut Context,
    counter: u32,
    kind: &Str,
    password: &[u8],
    [user, site]: [&[u8]; 2],
) -> Result<String, CallError> {
    let Some((_, patterns)) = PATTERNS.iter().find(|(name, _)| name.as_bytes() == &**kind) else {
        return Ok(format!("cannot find password template {kind}"));
    };
    context.spend(COST + (password.len() + user.len() + site.len()) as u64 / 64)?;
    context.heap().afford(MEMORY)?;
    let mut key = [0; 64];
    let params =
        scrypt::Params::new(15, 8, 2).map_err(|_| "failed to derive password: scrypt: parameters are too large")?;
    scrypt::scrypt(password, &salted(user), &params, &mut key)
        .map_err(|_| "failed to derive password: scrypt: parameters are too large")?;
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&key) else {
        return Err("failed to derive password: hmac".into());
    };
    mac.update(&salted(site));
    mac.update(&counter.to_be_bytes());
    let seed: [u8; 32] = mac.finalize().into_bytes().into();
    let pick = |place: usize, count: usize| usize::from(seed.get(place).copied().unwrap_or(0)) % count.max(1);
    let pattern = patterns.get(pick(0, patterns.len())).copied().unwrap_or_default();
    let chosen = pattern.bytes().enumerate().map(|(place, class)| {
        let characters = characters(class);
        let character = characters.get(pick(place + 1, characters.len()));
        char::from(character.copied().unwrap_or(b'?'))
    });
    Ok(chosen.collect())
}

/// The name of the algorithm, a length, and so many bytes.
fn salted(text: &[u8]) -> Vec<u8> {
    let mut out = NAME.to_vec();
    #[expect(clippy::cast_possible_truncation, reason = "texts are shorter than 4 GiB")]
    out.extend_from_slice(&(text.len() as u32).to_be_bytes());
    out.extend_from_slice(text);
    out
}
