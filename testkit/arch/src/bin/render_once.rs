//! Renders once and writes what would be stored, for a test that compares processes.
//!
//! `render_once <seed>` makes objects from the seed alone, by arithmetic, and writes the bytes of their render and its
//! ref. `render_once <seed> --random-order` goes through a map of the standard library first: the breach that the test
//! must see.

use std::collections::HashMap;
use std::io::Write as _;

use convoy_domain::limits::Limits;
use convoy_domain::object::Object;
use convoy_domain::render::Render;
use convoy_value::{Map, Value, json};

/// Objects in a render.
const OBJECTS: usize = 200;

/// Entries in the data of an object.
const ENTRIES: usize = 12;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seed = arguments.first().ok_or("no seed")?.parse()?;
    let random_order = arguments.iter().any(|argument| argument == "--random-order");
    let objects = objects(seed, random_order)?;
    let render = Render::new(objects, &Limits::default())?;
    let mut out = std::io::stdout().lock();
    out.write_all(&render.to_bytes())?;
    writeln!(out, "{}", render.render_ref())?;
    Ok(())
}

fn objects(seed: u64, random_order: bool) -> Result<Vec<Object>, Box<dyn std::error::Error>> {
    let mut state = seed;
    (0..OBJECTS)
        .map(|number| {
            let entries = (0..ENTRIES).map(|_| (format!("key-{:x}", step(&mut state)), step(&mut state).to_string()));
            let entries: Vec<(String, String)> = if random_order {
                entries.collect::<HashMap<_, _>>().into_iter().collect()
            } else {
                entries.collect()
            };
            // The order of entries is content too, so it is kept as a list beside the map that sorts them.
            let order: Vec<Value> = entries.iter().map(|(key, _)| Value::from(key.as_str())).collect();
            let data: Map = entries.into_iter().map(|(key, value)| (key, Value::from(value))).collect();
            let text = format!(
                r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"settings-{number}"}},"number":{}.5e{}}}"#,
                step(&mut state) >> 40,
                number % 40
            );
            let mut object = Object::new(json::parse(text, &convoy_value::Limits::default())?)?;
            object.as_map_mut().insert("data", data);
            object.as_map_mut().insert("order", order);
            Ok(object)
        })
        .collect()
}

/// The next number of a sequence that the seed alone decides (Knuth's MMIX constants).
fn step(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *state
}
