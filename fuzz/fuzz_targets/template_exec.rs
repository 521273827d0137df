#![cfg_attr(fuzzing, no_main)]
//! See `convoy_fuzz::template::template_exec`.

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| convoy_fuzz::template::template_exec(data));

#[cfg(not(fuzzing))]
fn main() {}
