//! Checksums, password hashes, ciphers, keys and certificates.

mod certificate;
mod cipher;
mod der;
mod derive;
mod dsa;
mod ec;
mod generate;
mod key;
mod pem;
mod prime;
mod rsa;

use alloc::format;
use alloc::string::String;

use convoy_template::{CallError, Context, Functions, Limit, Str};
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use crate::random::draw;

type Result<T> = core::result::Result<T, CallError>;

pub(crate) fn register(functions: &mut Functions) {
    cipher::register(functions);
    derive::register(functions);
    generate::register(functions);
    functions
        .add("sha1sum", |context: &mut Context, text: Str| {
            sum::<Sha1>(context, &text)
        })
        .add("sha256sum", |context: &mut Context, text: Str| {
            sum::<Sha256>(context, &text)
        })
        .add("sha512sum", |context: &mut Context, text: Str| {
            sum::<Sha512>(context, &text)
        })
        .add("adler32sum", |context: &mut Context, text: Str| -> Result<String> {
            context.spend(text.len() as u64 / 64)?;
            Ok(format!("{}", adler32(&text)))
        })
        .add("bcrypt", |context: &mut Context, password: Str| {
            bcrypt_hash(context, "bcrypt", &password, &[])
        })
        .add(
            "htpasswd",
            |context: &mut Context, user: Str, password: Str| -> Result<String> {
                if user.contains(&b':') {
                    return Ok(format!("invalid username: {user}"));
                }
                let hash = bcrypt_hash(context, "htpasswd", &password, &user)?;
                Ok(format!("{user}:{hash}"))
            },
        );
}

fn sum<D: Digest>(context: &mut Context, text: &[u8]) -> core::result::Result<String, Limit> {
    context.spend(text.len() as u64 / 64)?;
    Ok(D::digest(text).iter().map(|byte| format!("{byte:02x}")).collect())
}

fn adler32(bytes: &[u8]) -> u32 {
    let (mut a, mut b) = (1_u32, 0_u32);
    // So many additions fit before the remainder must be taken.
    for chunk in bytes.chunks(5_552) {
        for byte in chunk {
            a += u32::from(*byte);
            b += a;
        }
        a %= 65_521;
        b %= 65_521;
    }
    b << 16 | a
}

/// Go's default cost.
const COST: u32 = 10;

/// `$2a$10$…`, with a salt from the random source.
fn bcrypt_hash(context: &mut Context, function: &'static str, password: &Str, user: &[u8]) -> Result<String> {
    if password.len() > 72 {
        return Ok("failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes".into());
    }
    // About 50 ms of work: so dear that a whole render's steps buy some seconds.
    context.spend(500_000)?;
    let mut stream = draw(context, function, &[user.into(), password.clone()])?;
    let salt: [u8; 16] = core::array::from_fn(|_| stream.byte());
    // The password ends with a zero byte, as C has it.
    let mut text = password.to_vec();
    text.push(0);
    text.truncate(72);
    let hash = bcrypt::bcrypt(COST, salt, &text);
    let hash = hash.get(..23).unwrap_or(&[]);
    Ok(format!("$2a${COST:02}${}{}", crypt64(&salt), crypt64(hash)))
}

/// Base64 with bcrypt's own alphabet and no padding.
fn crypt64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            out.push(char::from(ALPHABET[(group >> (18 - 6 * place) & 63) as usize]));
        }
    }
    out
}
