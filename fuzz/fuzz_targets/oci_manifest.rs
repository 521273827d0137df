#![cfg_attr(fuzzing, no_main)]
//! See `convoy_fuzz::registry::oci_manifest`.

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| convoy_fuzz::registry::oci_manifest(data));

#[cfg(not(fuzzing))]
fn main() {}
