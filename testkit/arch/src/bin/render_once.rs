//! Renders once and writes what would be stored, for a test that compares processes.
//!
//! `render_once <seed>` writes manifests from the seed alone, by arithmetic, takes them through the pipeline of a
//! Release (files to objects, mutations, canonical bytes, ref), and writes the bytes and the ref. `--helm` puts a
//! chart around them, `--kustomize` a kustomization. `--backwards` hands the files over in reverse order, which must
//! change nothing; with `--random-order` a map of the standard library orders what is written: the breach that the
//! test must see.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;

use convoy_domain::Timestamp;
use convoy_domain::artifact::Files;
use convoy_domain::content::{Inputs, render};
use convoy_domain::entropy::EntropyKey;
use convoy_domain::id::ReleaseId;
use convoy_domain::limits::Limits;
use convoy_domain::mutation::mutate;
use convoy_domain::release::{Content, Gate, Helm, Kustomize, Manifests, Mutation, MutationAction, Target};
use convoy_domain::render::Render;

/// Files, each with one object.
const FILES: u64 = 200;

/// Entries in the data of an object.
const ENTRIES: u64 = 12;

/// A chart that asks for all that has no order or no one value by itself.
const CHART: &[(&str, &str)] = &[
    ("chart/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
    ("chart/values.yaml", "words: {z: 1, y: 2, x: 3, a: {b: c, d: [e, f]}}\n"),
    (
        "chart/templates/_parts.tpl",
        "{{ define \"words\" }}{{ range $k, $v := .Values.words }}{{ $k }}={{ $v }} {{ end }}{{ end }}",
    ),
    (
        "chart/templates/a.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: drawn}\ndata:\n  password: {{ randAlphaNum 24 | quote }}\n  \
         uuid: {{ uuidv4 }}\n  shuffled: {{ shuffle \"abcdefghij\" }}\n  hash: {{ htpasswd \"a\" \"b\" | quote }}\n  \
         key: {{ genPrivateKey \"ed25519\" | quote }}\n  now: {{ now | quote }}\n  words: {{ include \"words\" . | quote }}\n  \
         keys: {{ keys .Values.words | join \",\" | quote }}\n  all: {{ toJson .Values.words | quote }}\n  \
         files: {{ range $path, $_ := .Files.Glob \"extra/*\" }}{{ $path }} {{ end }}\n",
    ),
    ("chart/extra/b.txt", "b"),
    ("chart/extra/a.txt", "a"),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seed = arguments.first().ok_or("no seed")?.parse()?;
    let asks = |flag: &str| arguments.iter().any(|argument| argument == flag);

    let mut all: Vec<(String, Arc<[u8]>)> = files(seed, asks("--random-order"))?.into_iter().collect();
    let content = if asks("--helm") {
        for (path, _) in &mut all {
            *path = format!("chart/templates/{path}");
        }
        all.extend(
            CHART
                .iter()
                .map(|(path, text)| ((*path).to_owned(), Arc::from(text.as_bytes()))),
        );
        Content::Helm(Helm {
            path: "chart".to_owned(),
            ..Helm::default()
        })
    } else if asks("--kustomize") {
        all.push(kustomization(&all));
        Content::Kustomize(Kustomize::default())
    } else {
        Content::Manifests(Manifests {
            paths: vec!["tree".to_owned()],
            target_namespace: None,
        })
    };
    if asks("--backwards") {
        all.reverse();
    }
    let limits = Limits::default();
    let inputs = Inputs {
        release: &ReleaseId::new("apps", "web")?,
        entropy: Some(&EntropyKey::new(vec![7; 32])?),
        now: Timestamp::UNIX_EPOCH,
        cluster: None,
        cancel: None,
    };
    let mut objects = render(&all.into_iter().collect(), &content, &inputs, &limits)?.objects;
    mutate(&[second_wave()], &mut objects)?;
    let render = Render::new(objects, &limits)?;

    let mut out = std::io::stdout().lock();
    out.write_all(&render.to_bytes())?;
    writeln!(out, "{}", render.render_ref())?;
    Ok(())
}

/// Names all files, in the order in which they were made, and generates from some.
fn kustomization(files: &[(String, Arc<[u8]>)]) -> (String, Arc<[u8]>) {
    let mut text = "namePrefix: a-\ncommonAnnotations: {one: two}\nresources:\n".to_owned();
    let names = files.iter().map(|(path, _)| path);
    text.extend(names.clone().map(|path| format!("- {path}\n")));
    text.push_str("configMapGenerator:\n- name: generated\n  files:\n");
    text.extend(
        names
            .take(9)
            .enumerate()
            .map(|(number, path)| format!("  - f{number}={path}\n")),
    );
    ("kustomization.yaml".to_owned(), Arc::from(text.into_bytes()))
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
