#![cfg_attr(fuzzing, no_main)]
//! See `convoy_fuzz::value::json_patch`.

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| convoy_fuzz::value::json_patch(data));

#[cfg(not(fuzzing))]
fn main() {}
