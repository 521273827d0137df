//! Templates: no text makes lexer, parser or execution panic, run away or leave its bounds.

use std::sync::Arc;

use convoy_template::{Context, Functions, Limits, TemplateSet, Value};

/// Small limits, so that the fuzzer meets them.
const LIMITS: Limits = Limits {
    steps: 20_000,
    templates: 20,
    nesting: 400,
    output: 1 << 16,
    heap: 1 << 20,
    text: 1 << 16,
};

fn functions() -> Functions {
    let mut functions = Functions::builtins();
    convoy_sprig::register(&mut functions);
    functions
}

/// The lexer alone.
pub fn template_lexer(data: &[u8]) {
    if let Ok(source) = str::from_utf8(data) {
        assert!(convoy_template::count_tokens(source) <= source.len());
    }
}

/// The parser: what is parsed once is parsed again.
pub fn template_parser(data: &[u8]) {
    let Ok(source) = str::from_utf8(data) else { return };
    let mut set = TemplateSet::new(functions());
    let first = set.parse("x", source);
    assert_eq!(first, set.parse("x", source));
}

/// Execution: the same twice, within the limits.
pub fn template_exec(data: &[u8]) {
    let Ok(source) = str::from_utf8(data) else { return };
    let mut set = TemplateSet::new(functions());
    if set.parse("x", source).is_err() {
        return;
    }
    let set = Arc::new(set);
    let run = || {
        let mut context = Context::new(set.clone(), Arc::default(), LIMITS);
        let plain = convoy_value::json::parse(
            r#"{"s": "text", "n": 3, "list": [1, "a", null], "m": {"a": {"b": 1}}}"#,
            &convoy_value::Limits::default(),
        );
        let data = plain
            .ok()
            .and_then(|plain| context.heap_mut().import(&plain).ok())
            .unwrap_or(Value::Nil);
        context.execute("x", data)
    };
    let first = run();
    assert_eq!(first, run());
    if let Ok(text) = first {
        assert!(text.len() <= LIMITS.output);
    }
}
