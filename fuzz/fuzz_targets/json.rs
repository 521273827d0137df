#![cfg_attr(fuzzing, no_main)]
//! See `convoy_fuzz::value::json`.

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| convoy_fuzz::value::json(data));

#[cfg(not(fuzzing))]
fn main() {}
