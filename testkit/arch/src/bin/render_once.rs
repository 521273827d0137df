//! Renders once and writes what would be stored, for a test that compares processes.
//!
//! `render_once <seed>` writes manifests from the seed alone, by arithmetic, takes them through the pipeline of a
//! Release (files to objects, mutations, canonical bytes, ref), and writes the bytes and the ref. With
//! `--random-order` a map of the standard library orders what is written: the breach that the test must see.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;

use convoy_domain::artifact::Files;
use convoy_domain::limits::Limits;
use convoy_domain::manifests::render_manifests;
use convoy_domain::mutation::mutate;
use convoy_domain::release::{Gate, Manifests, Mutation, MutationAction, Target};
use convoy_domain::render::Render;

/// Files, each with one object.
const FILES: u64 = 200;

/// Entries in the data of an object.
const ENTRIES: u64 = 12;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seed = arguments.first().ok_or("no seed")?.parse()?;
    let random_order = arguments.iter().any(|argument| argument == "--random-order");

    let limits = Limits::default();
    let manifests = Manifests {
        paths: vec!["tree".to_owned()],
        target_namespace: None,
    };
    let mut objects = render_manifests(&files(seed, random_order)?, &manifests, &limits)?;
    mutate(&[second_wave()], &mut objects)?;
    let render = Render::new(objects, &limits)?;

    let mut out = std::io::stdout().lock();
    out.write_all(&render.to_bytes())?;
    writeln!(out, "{}", render.render_ref())?;
    Ok(())
}

fn second_wave() -> Mutation {
    Mutation {
        target: Target {
            label_selector: Some("half=odd".to_owned()),
            ..Target::default()
        },
        optional: false,
        action: MutationAction::SyncWave {
            wave: 1,
            gate: Gate::WaitForHealthy,
        },
    }
}

fn files(seed: u64, random_order: bool) -> Result<Files, std::fmt::Error> {
    let mut state = seed;
    let mut files = Files::new();
    for number in 0..FILES {
        let entries = (0..ENTRIES).map(|_| (format!("key-{:x}", step(&mut state)), step(&mut state)));
        let entries: Vec<(String, u64)> = if random_order {
            entries.collect::<HashMap<_, _>>().into_iter().collect()
        } else {
            entries.collect()
        };
        let half = if number % 2 == 0 { "even" } else { "odd" };
        let mut text = format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings-{number}\n  labels: {{half: {half}}}\nfloat: {}.5e{}\n",
            step(&mut state) >> 40,
            number % 40
        );
        // As a map, whose order rendering decides, and as a list, whose order is content.
        text.push_str("data:\n");
        for (key, value) in &entries {
            writeln!(text, "  {key}: \"{value}\"")?;
        }
        text.push_str("order:\n");
        for (key, _) in &entries {
            writeln!(text, "- {key}")?;
        }
        let name = format!("tree/{:x}/settings.yaml", step(&mut state));
        files.insert(name, Arc::from(text.into_bytes()));
    }
    Ok(files)
}

/// The next number of a sequence that the seed alone decides (Knuth's MMIX constants).
fn step(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *state
}
