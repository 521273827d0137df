#![cfg_attr(fuzzing, no_main)]
//! See `convoy_fuzz::helm::helm_index`.

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| convoy_fuzz::helm::helm_index(data));

#[cfg(not(fuzzing))]
fn main() {}
