#![cfg_attr(fuzzing, no_main)]
//! See `convoy_fuzz::kustomize::kustomization`.

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| convoy_fuzz::kustomize::kustomization(data));

#[cfg(not(fuzzing))]
fn main() {}
