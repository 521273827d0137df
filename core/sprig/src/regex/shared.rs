//! Expressions that stay compiled between renderings, for as long as the table of functions lives.
//!
//! A table of fixed size that is only added to, so that threads read it without a lock. When its places are taken, or an
//! expression is large, each rendering compiles for itself.

use alloc::boxed::Box;
use alloc::sync::Arc;

use convoy_template::Str;
use once_cell::race::OnceBox;

use super::Expression;

/// Number of places; what they keep is at most this times [`MAX_SIZE`] and what searches need.
const PLACES: usize = 64;
/// Places that one expression may take.
const TRIES: usize = 8;
/// Bytes of a compiled expression that is kept.
const MAX_SIZE: usize = 64 << 10;
/// Bytes of an expression that is kept.
const MAX_PATTERN: usize = 1 << 10;

/// Compiled expressions by their text.
pub(super) struct Shared([OnceBox<(Str, Arc<Expression>)>; PLACES]);

impl Default for Shared {
    fn default() -> Self {
        Self(core::array::from_fn(|_| OnceBox::new()))
    }
}

impl Shared {
    /// The places where an expression may be, best first.
    fn places(&self, pattern: &[u8]) -> impl Iterator<Item = &OnceBox<(Str, Arc<Expression>)>> {
        // FNV-1a: texts are short, and nothing depends on how well it spreads but speed.
        let hash = pattern.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let first = usize::try_from(hash % PLACES as u64).unwrap_or(0);
        self.0.iter().cycle().skip(first).take(TRIES)
    }

    pub(super) fn get(&self, pattern: &Str) -> Option<&Arc<Expression>> {
        let mut kept = self.places(pattern).map_while(OnceBox::get);
        kept.find(|(known, _)| known == pattern).map(|(_, regex)| regex)
    }

    pub(super) fn keep(&self, pattern: &Str, regex: &Arc<Expression>) {
        if pattern.len() > MAX_PATTERN || regex.memory_usage() > MAX_SIZE {
            return;
        }
        for place in self.places(pattern) {
            match place.get() {
                Some((known, _)) if known == pattern => return,
                Some(_) => {}
                None => {
                    if place.set(Box::new((pattern.clone(), regex.clone()))).is_ok() {
                        return;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use regex_automata::meta::Regex;

    fn expression(pattern: &str) -> Arc<Expression> {
        let regex = Regex::new(pattern).expect("it compiles");
        Arc::new(Expression { regex, states: 1 })
    }

    #[test]
    fn what_is_kept_is_found_until_places_run_out() {
        let shared = Shared::default();
        let mut kept = 0;
        for number in 0..1_000 {
            let pattern = Str::from(format!("a{number}b"));
            assert!(shared.get(&pattern).is_none());
            let regex = expression(&pattern.to_text());
            shared.keep(&pattern, &regex);
            shared.keep(&pattern, &regex);
            if let Some(found) = shared.get(&pattern) {
                assert!(Arc::ptr_eq(found, &regex));
                kept += 1;
            }
        }
        assert_eq!(kept, PLACES);
    }

    #[test]
    fn a_long_expression_is_not_kept() {
        let shared = Shared::default();
        let pattern = Str::from("a".repeat(MAX_PATTERN + 1));
        let regex = expression("a");
        shared.keep(&pattern, &regex);
        assert!(shared.get(&pattern).is_none());
    }
}
