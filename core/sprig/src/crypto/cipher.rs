//! `encryptAES` and `decryptAES`: AES-256 in blocks that are chained, the key being the password itself.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use aes::Aes256;
use aes::cipher::{Array, BlockCipherDecrypt as _, BlockCipherEncrypt as _, KeyInit as _};
use convoy_template::{CallError, Context, Functions, Str};

use crate::encoding::{decode64, encode64};
use crate::random::draw;

type Result<T> = core::result::Result<T, CallError>;

const BLOCK: usize = 16;

pub(super) fn register(functions: &mut Functions) {
    functions.add("encryptAES", encrypt).add("decryptAES", decrypt);
}

/// The first 32 bytes of the password, filled up with zeros.
fn cipher(password: &[u8]) -> Aes256 {
    let mut key = [0; 32];
    for (slot, byte) in key.iter_mut().zip(password) {
        *slot = *byte;
    }
    Aes256::new(&Array::from(key))
}

fn encrypt(context: &mut Context, password: Str, text: Str) -> Result<String> {
    if text.is_empty() {
        return Ok(String::new());
    }
    context.afford_text(text.len().saturating_mul(2))?;
    let mut stream = draw(context, "encryptAES", &[password.clone(), text.clone()])?;
    let cipher = cipher(&password);
    let mut out = stream.bytes(BLOCK);
    let mut last: [u8; BLOCK] = block(&out);
    let padding = BLOCK - text.len() % BLOCK;
    let mut padded = text.to_vec();
    padded.resize(text.len() + padding, u8::try_from(padding).unwrap_or(0));
    for chunk in padded.chunks_exact(BLOCK) {
        let mut mixed = Array::from(xor(block(chunk), last));
        cipher.encrypt_block(&mut mixed);
        last = mixed.into();
        out.extend_from_slice(&last);
    }
    Ok(encode64(&out))
}

/// What Go panics of, it answers as an error: the texts are those of its runtime.
fn decrypt(context: &mut Context, password: Str, text: Str) -> Result<Vec<u8>> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    context.afford_text(text.len())?;
    let bytes = decode64(&text).map_err(|place| format!("illegal base64 data at input byte {place}"))?;
    // Go reserves what the text could hold at most.
    let reserved = text.len() / 4 * 3;
    if reserved < BLOCK {
        return Err(format!("runtime error: slice bounds out of range [:{BLOCK}] with capacity {reserved}").into());
    }
    if bytes.len() < BLOCK {
        return Err(format!("runtime error: slice bounds out of range [{BLOCK}:{}]", bytes.len()).into());
    }
    let (start, bytes) = bytes.split_at(BLOCK);
    if bytes.len() % BLOCK != 0 {
        return Err("crypto/cipher: input not full blocks".into());
    }
    let cipher = cipher(&password);
    let mut last = block(start);
    let mut out = Vec::with_capacity(bytes.len());
    for chunk in bytes.chunks_exact(BLOCK) {
        let mut mixed = Array::from(block(chunk));
        cipher.decrypt_block(&mut mixed);
        out.extend_from_slice(&xor(mixed.into(), last));
        last = block(chunk);
    }
    let Some(padding) = out.last().map(|last| usize::from(*last)) else {
        return Err("runtime error: index out of range [-1]".into());
    };
    if padding > out.len() {
        return Err(format!("runtime error: slice bounds out of range [:-{}]", padding - out.len()).into());
    }
    out.truncate(out.len() - padding);
    Ok(out)
}

fn block(bytes: &[u8]) -> [u8; BLOCK] {
    core::array::from_fn(|place| bytes.get(place).copied().unwrap_or(0))
}

fn xor(a: [u8; BLOCK], b: [u8; BLOCK]) -> [u8; BLOCK] {
    core::array::from_fn(|place| a.get(place).copied().unwrap_or(0) ^ b.get(place).copied().unwrap_or(0))
}
