#![cfg_attr(fuzzing, no_main)]
//! See `convoy_fuzz::store::store_keys`.

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| convoy_fuzz::store::store_keys(data));

#[cfg(not(fuzzing))]
fn main() {}
