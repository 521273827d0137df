//! The order in which go-yaml writes the keys of a mapping: as people sort names, `a2` before `a10`.

use alloc::vec::Vec;

use super::letters::{is_digit, is_letter};
use crate::{Map, Value};

/// The entries of `map` in the order of writing.
pub(super) fn entries(map: &Map) -> Vec<(&str, &Value)> {
    let mut entries: Vec<(&str, &Value)> = map.iter().collect();
    if entries.windows(2).all(|pair| less(pair[0].0, pair[1].0)) {
        return entries;
    }
    // Sorted by bytes first, so that the result does not depend on the order of insertion even where the natural
    // order is no total one.
    entries.sort_unstable_by_key(|(key, _)| *key);
    merge_sort(entries, |a, b| less(a.0, b.0))
}

/// A merge sort: unlike the standard library's it accepts any answer of `less`.
pub(super) fn merge_sort<T: Copy>(items: Vec<T>, less: impl Fn(T, T) -> bool) -> Vec<T> {
    let mut from = items;
    let mut width = 1;
    while width < from.len() {
        let mut to = Vec::with_capacity(from.len());
        for pair in from.chunks(2 * width) {
            let (mut left, mut right) = pair.split_at(width.min(pair.len()));
            while let ([l, left_rest @ ..], [r, right_rest @ ..]) = (left, right) {
                if less(*r, *l) {
                    to.push(*r);
                    right = right_rest;
                } else {
                    to.push(*l);
                    left = left_rest;
                }
            }
            to.extend_from_slice(left);
            to.extend_from_slice(right);
        }
        from = to;
        width *= 2;
    }
    from
}

/// Whether `a` comes before `b`.
fn less(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    // Step back to where a character begins.
    while same > 0 && (is_continuation(a.get(same)) || is_continuation(b.get(same))) {
        same -= 1;
    }
    let (head, a, b) = (text(&a[..same]), text(&a[same..]), text(&b[same..]));
    let (Some(x), Some(y)) = (a.chars().next(), b.chars().next()) else {
        return a.is_empty() && !b.is_empty();
    };
    match (is_letter(x), is_letter(y)) {
        (true, true) => return x < y,
        (true, false) => return false,
        (false, true) => return true,
        (false, false) => {}
    }
    // A zero at the difference counts only behind other digits.
    let start = i64::from((x == '0' || y == '0') && ends_in_number(head));
    let (a_number, a_digits) = number(start, a);
    let (b_number, b_digits) = number(start, b);
    (a_number, a_digits, x) < (b_number, b_digits, y)
}

fn is_continuation(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| byte & 0xC0 == 0x80)
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap_or_default()
}

/// Whether digits stand at the end of `head` that are not all zeros.
fn ends_in_number(head: &str) -> bool {
    head.chars().rev().take_while(|c| is_digit(*c)).any(|c| c != '0')
}

/// The number at the beginning of `text`, behind `start`, and how many digits it has.
pub(super) fn number(start: i64, text: &str) -> (i64, usize) {
    text.chars()
        .take_while(|c| is_digit(*c))
        .fold((start, 0), |(number, count), c| {
            let digit = i64::from(u32::from(c)) - i64::from(u32::from('0'));
            (number.wrapping_mul(10).wrapping_add(digit), count + 1)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_natural_order_whatever_the_order_of_insertion() {
        let expect = [
            "", "_", "1", "2", "10", "A", "B", "a", "a-", "a1", "a2", "a02", "a10", "aa", "é",
        ];
        for step in [1, 2, 4, 7] {
            let map: Map = (0..expect.len())
                .map(|i| (expect[i * step % expect.len()], Value::Null))
                .collect();
            let keys: Vec<&str> = entries(&map).into_iter().map(|(key, _)| key).collect();
            assert_eq!(keys, expect, "step {step}");
        }
    }
}
