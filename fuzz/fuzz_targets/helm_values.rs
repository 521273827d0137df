#![cfg_attr(fuzzing, no_main)]
//! See `convoy_fuzz::helm::helm_values`.

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| convoy_fuzz::helm::helm_values(data));

#[cfg(not(fuzzing))]
fn main() {}
