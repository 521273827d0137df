#![cfg_attr(fuzzing, no_main)]
//! See `convoy_fuzz::kustomize::kustomize_patch`.

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| convoy_fuzz::kustomize::kustomize_patch(data));

#[cfg(not(fuzzing))]
fn main() {}
