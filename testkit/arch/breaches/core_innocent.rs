//! Words such as std, unsafe, async, env! and HashMap in a comment are no code.
#![no_std]

extern crate alloc;

use hashbrown::{HashMap, HashSet};

/* std::time::Instant::now(); /* unsafe */ println!() */

/// `std::println!("{}", Instant::now())`
fn literals() -> (&'static str, &'static [u8], char) {
    ("std::env! \" unsafe", br#"async " await"#, '"')
}

/// An identifier that contains such a word is another word.
fn no_std_here(operand: u8, understandard: u8, brand: u8) {}

fn fixed_order(map: hashbrown::HashMap<u8, u8, foldhash::fast::FixedState>) {}

/// A flag that somebody else raises, and what one context remembers, are arguments.
struct Context {
    cancel: Arc<AtomicBool>,
    seen: OnceCell<&'static str>,
}

static TABLE: [u8; 3] = [1, 2, 3];

fn raw_identifier(r#type: u8) {}

#[cfg(test)]
mod tests {
    extern crate std;

    #[test]
    fn a_test_may_print() {
        std::println!("{:?}", std::time::Instant::now());
    }
}

#[cfg(test)]
extern crate std;

#[cfg(test)]
mod more_tests;
