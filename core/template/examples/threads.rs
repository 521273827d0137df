//! Templates and values that threads share: both are read only, each rendering changes copies of its own.
//!
//! `cargo run -p convoy-template --example threads`
#![expect(clippy::print_stdout, reason = "it is an example")]

use std::error::Error;
use std::sync::Arc;
use std::thread;

use convoy_template::value::{Heap, MapRef};
use convoy_template::{CallError, Context, Functions, Limit, Limits, Str, TemplateSet, Value};

/// Maps are references: every holder of the map sees the change.
fn put(context: &mut Context, map: MapRef, key: Str, value: Value) -> Result<&'static str, CallError> {
    context.heap_mut().insert(map, key, value)?;
    Ok("")
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut functions = Functions::builtins();
    functions.add("put", put);
    let mut set = TemplateSet::new(functions);
    set.parse(
        "page",
        r#"{{ put .counters "visits" .visits }}{{ .site }}: {{ .counters.visits }}"#,
    )?;
    let set = Arc::new(set);

    // Made once; frozen, so that any number of renderings stand on it without a copy.
    let fits = |limit: Limit| limit.to_string();
    let mut heap = Heap::default();
    let page = heap.map().map_err(fits)?;
    let counters = heap.map().map_err(fits)?;
    heap.insert(page, "site", Value::string("example.org")).map_err(fits)?;
    heap.insert(page, "counters", Value::Map(counters)).map_err(fits)?;
    let base = heap.freeze();

    let render = |visits| -> Result<String, String> {
        let mut context = Context::new(set.clone(), base.clone(), Limits::default());
        let visits = Value::int(visits);
        context.heap_mut().insert(page, "visits", visits).map_err(fits)?;
        let text = context.execute("page", Value::Map(page));
        let text = text.map_err(|error| error.to_string())?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (1..=3).map(|visits| scope.spawn(move || render(visits))).collect();
        for thread in threads {
            println!("{}", thread.join().map_err(|_| "a thread panicked")??);
        }
        Ok(())
    })
}
