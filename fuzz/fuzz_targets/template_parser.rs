#![cfg_attr(fuzzing, no_main)]
//! See `convoy_fuzz::template::template_parser`.

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| convoy_fuzz::template::template_parser(data));

#[cfg(not(fuzzing))]
fn main() {}
