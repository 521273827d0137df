//! Values of the host with fields and methods, and bounds on what a template may do.
//!
//! `cargo run -p convoy-template --example objects`
#![expect(clippy::print_stdout, reason = "it is an example")]

use std::sync::Arc;

use convoy_template::value::{Object, Struct};
use convoy_template::{Context, Function, Functions, Limits, ParseError, Str, TemplateSet, Value};

fn main() -> Result<(), ParseError> {
    // The receiver comes first.
    let greet = Function::new("Greet", |_: &mut Context, host: Value, whom: Str| {
        let name = host.downcast::<Struct>().and_then(|host| Object::field(host, "Name"));
        let name = name.as_ref().and_then(Value::as_str).cloned().unwrap_or_default();
        format!("{name} greets {whom}")
    });
    let host = Struct::new("main.Host")
        .field("Name", "pine")
        .field("Cores", Value::int(8))
        .method("Greet", greet)
        .into_value();

    let mut set = TemplateSet::new(Functions::builtins());
    set.parse(
        "host",
        r#"{{ .Name }} has {{ .Cores }} cores. {{ .Greet "you" }}. {{ printf "%+v" . }}"#,
    )?;
    set.parse("wrong", "{{ .Memory }}")?;
    set.parse("endless", "{{ range 1000000000 }}{{ end }}")?;
    let limits = Limits {
        steps: 100_000,
        ..Limits::default()
    };
    let mut context = Context::new(Arc::new(set), Arc::default(), limits);
    for name in ["host", "wrong", "endless"] {
        match context.execute(name, host.clone()) {
            Ok(text) => println!("{}", String::from_utf8_lossy(&text)),
            Err(error) => println!("{error}"),
        }
    }
    Ok(())
}
