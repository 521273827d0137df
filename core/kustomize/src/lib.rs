//! `kustomize build` over a tree of files in memory, as kustomize 5.8.1 (inside kubectl 1.36.3) does it.
//!
//! [`build`] reads the kustomization of one directory, gathers what it names (`target`), runs generators and
//! transformers over it, and answers the objects in the order in which kustomize prints them. The judge of all of it is the real
//! tool; where its code and its documentation differ, its code is right.
//!
//! # Invariant
//! Nothing is read but the [`Tree`] that is handed in, and of it only what the kustomization names: no network, program, clock or environment. Nesting of bases
//! takes no native stack, and every input is bounded ([`Limits`]).
#![no_std]

extern crate alloc;

mod charts;
mod config;
mod decode;
mod description;
mod error;
mod fieldspec;
mod files;
mod folded;
mod generate;
mod ids;
mod image;
mod kustomization;
mod labels;
mod limits;
mod lookup;
mod merge;
mod meter;
mod nameref;
mod node;
mod origin;
mod paths;
mod pattern;
mod plugins;
mod quotes;
mod replacement;
mod resmap;
mod resource;
mod schema;
mod selector;
mod sort;
mod structured;
mod target;
mod transform;
mod vars;
mod warning;

pub use charts::{ChartRenderer, ChartRequest, ChartValues};
pub use error::Error;
pub use files::{Entry, Files, Tree};
pub use ids::is_cluster_scoped;
pub use limits::Limits;
pub use target::{Built, LoadRestrictor, Options, build};
pub use warning::Warning;
