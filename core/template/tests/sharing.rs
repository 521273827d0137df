//! One set of templates under many threads.

use std::sync::Arc;

use convoy_template::value::{Base, Heap};
use convoy_template::{Context, Functions, Limits, Str, TemplateSet, Value};

/// Fails to compile when a part of what is shared is not safe to share.
#[test]
fn parsed_templates_and_frozen_values_are_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    fn sent<T: Send>() {}
    shared::<TemplateSet>();
    shared::<Functions>();
    shared::<Base>();
    shared::<Value>();
    sent::<Context>();
    sent::<Heap>();
}

const SOURCE: &str = r#"
{{- define "row" }}{{ .name | printf "%-6s" }}={{ .value }}{{ if gt .value 20 }}!{{ end }};{{ end -}}
{{ range $key, $value := .rows }}{{ template "row" (pair $key $value) }}{{ else }}none{{ end }}
{{- with $.missing }}{{ . }}{{ end }} {{ len .rows }} {{ index .rows "a" }} {{ eq .kind "x" }}"#;

fn pair(context: &mut Context, name: Str, value: Value) -> Result<Value, convoy_template::Limit> {
    let map = context.heap_mut().map()?;
    context.heap_mut().insert(map, "name", Value::String(name))?;
    context.heap_mut().insert(map, "value", value)?;
    Ok(Value::Map(map))
}

#[test]
fn threads_that_render_at_once_write_what_one_writes() {
    let mut functions = Functions::builtins();
    functions.add("pair", pair);
    let mut set = TemplateSet::new(functions);
    set.parse("x", SOURCE).expect("it parses");
    let set = Arc::new(set);
    let mut heap = Heap::default();
    let rows = heap.map().expect("it fits");
    // More rows than a small map holds.
    for (place, letter) in ('a'..='z').enumerate() {
        let number = Value::int(i64::try_from(place).expect("it is small"));
        heap.insert(rows, letter.to_string().as_str(), number).expect("it fits");
    }
    let data = heap.map().expect("it fits");
    heap.insert(data, "rows", Value::Map(rows)).expect("it fits");
    heap.insert(data, "kind", Value::string("x")).expect("it fits");
    let base = heap.freeze();
    let render = || {
        let mut context = Context::new(set.clone(), base.clone(), Limits::default());
        context.execute("x", Value::Map(data)).expect("it renders")
    };
    let alone = render();
    let text = String::from_utf8(alone.clone()).expect("it is text");
    assert!(
        text.starts_with("a     =0;b     =1;") && text.ends_with("z     =25!; 26 0 true"),
        "{text}"
    );
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| (0..200).map(|_| render()).collect::<Vec<_>>()))
            .collect();
        for thread in threads {
            let texts = thread.join().expect("nothing panics");
            assert!(texts.iter().all(|text| *text == alone));
        }
    });
}
