#![cfg_attr(fuzzing, no_main)]
//! See `convoy_fuzz::registry::oci_challenge`.

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| convoy_fuzz::registry::oci_challenge(data));

#[cfg(not(fuzzing))]
fn main() {}
