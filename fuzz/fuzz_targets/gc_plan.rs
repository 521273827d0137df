#![cfg_attr(fuzzing, no_main)]
//! See `convoy_fuzz::store::gc_plan`.

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| convoy_fuzz::store::gc_plan(data));

#[cfg(not(fuzzing))]
fn main() {}
