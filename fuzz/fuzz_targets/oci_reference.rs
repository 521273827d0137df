#![cfg_attr(fuzzing, no_main)]
//! See `convoy_fuzz::registry::oci_reference`.

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| convoy_fuzz::registry::oci_reference(data));

#[cfg(not(fuzzing))]
fn main() {}
