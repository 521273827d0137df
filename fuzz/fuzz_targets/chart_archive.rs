#![cfg_attr(fuzzing, no_main)]
//! See `convoy_fuzz::helm::chart_archive`.

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| convoy_fuzz::helm::chart_archive(data));

#[cfg(not(fuzzing))]
fn main() {}
