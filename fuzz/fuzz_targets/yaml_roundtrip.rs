#![cfg_attr(fuzzing, no_main)]
//! See `convoy_fuzz::value::yaml_roundtrip`.

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| convoy_fuzz::value::yaml_roundtrip(data));

#[cfg(not(fuzzing))]
fn main() {}
