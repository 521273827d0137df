//! One template, parsed once, for many readers: data from JSON, a function of the host, errors with their place.
//!
//! `cargo run -p convoy-template --example letters`
#![expect(clippy::print_stdout, reason = "it is an example")]
#![expect(
    clippy::needless_pass_by_value,
    reason = "operands of template functions are given away"
)]

use std::error::Error;
use std::sync::Arc;

use convoy_template::{Context, Functions, Limits, Str, TemplateSet, Value};

const LETTER: &str = r#"
{{- define "signature" }}Yours, {{ .from }}{{ end -}}
Dear {{ .to | capitalize }},
{{ if .orders }}you ordered:
{{- range $number, $order := .orders }}
{{ $number }}. {{ printf "%-8s %6.2f" $order.what $order.price }}
{{- end }}
{{ else }}you ordered nothing.
{{ end }}{{ template "signature" . }}
"#;

/// The engine checks the operand: `capitalize 3` is an error of the template, not of this function.
fn capitalize(_: &mut Context, text: Str) -> String {
    let text = text.to_text();
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut functions = Functions::builtins();
    functions.add("capitalize", capitalize);
    let mut set = TemplateSet::new(functions);
    set.parse("letter", LETTER)?;
    let set = Arc::new(set);

    for data in [
        r#"{"from": "us", "to": "ada", "orders": [{"what": "tea", "price": 3.5}, {"what": "biscuits", "price": 12}]}"#,
        r#"{"from": "us", "to": "grace", "orders": []}"#,
    ] {
        // Numbers are floats here, as a reader of JSON in Go has them.
        let data =
            convoy_value::json::parse_with(data, &convoy_value::Limits::default(), convoy_value::Numbers::Float)?;
        let mut context = Context::new(set.clone(), Arc::default(), Limits::default());
        let data = context.heap_mut().import(&data).map_err(|limit| limit.to_string())?;
        println!("{}", String::from_utf8_lossy(&context.execute("letter", data)?));
    }

    let mut context = Context::new(set, Arc::default(), Limits::default());
    match context.execute("letter", Value::string("no map")) {
        Ok(_) => println!("this cannot be"),
        Err(error) => println!("line {}, column {}: {error}", error.line, error.column),
    }
    Ok(())
}
