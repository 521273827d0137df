//! Hostile templates end within their limit, and say which one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use convoy_template::{Context, Functions, Limit, Limits, MAX_PARSE_DEPTH, Str, TemplateSet, Value};

/// On a thread with the stack that the default limits ask for.
fn on_large_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(work);
    thread.expect("a thread starts").join().expect("nothing panics")
}

fn functions() -> Functions {
    let mut functions = Functions::builtins();
    // As Helm's `include`.
    functions.add("include", |context: &mut Context, name: Str, data: Value| {
        context.execute(&name.to_text(), data)
    });
    functions.add("cycle", |context: &mut Context| -> Result<Value, Limit> {
        let map = context.heap_mut().map()?;
        context.heap_mut().insert(map, "self", Value::Map(map))?;
        Ok(Value::Map(map))
    });
    functions.add("nest", |context: &mut Context, value: Value| -> Result<Value, Limit> {
        Ok(Value::List(context.heap_mut().list(vec![value])?))
    });
    functions
}

fn breach(source: &str, limits: Limits) -> (Option<Limit>, String) {
    let mut set = TemplateSet::new(functions());
    set.parse("x", source).expect("it parses");
    let mut context = Context::new(Arc::new(set), Arc::default(), limits);
    match context.execute("x", Value::Nil) {
        Ok(_) => (None, String::new()),
        Err(error) => (error.limit, error.to_string()),
    }
}

#[test]
fn each_limit_ends_the_execution_that_meets_it() {
    let loops = "{{ range 1000 }}{{ range 1000 }}{{ range 1000 }}x{{ end }}{{ end }}{{ end }}";
    let grow = "{{ $l := nest 1 }}{{ range 100000 }}{{ $l = nest $l }}{{ end }}";
    let deep = "{{ $l := nest 1 }}{{ range 1000 }}{{ $l = nest $l }}{{ end }}{{ $l }}";
    for (source, limit) in [
        (loops, Limit::Output(1 << 20)),
        ("{{ range 1000000000 }}{{ end }}", Limit::Steps(50_000_000)),
        (
            "{{ define \"r\" }}{{ template \"r\" }}{{ end }}{{ template \"r\" }}",
            Limit::Templates(1_000),
        ),
        (
            "{{ define \"r\" }}{{ include \"r\" . }}{{ end }}{{ include \"r\" . }}",
            Limit::Templates(1_000),
        ),
        (
            "{{ printf \"%1000000d%1000000d%1000000d\" 1 2 3 }}",
            Limit::Text(1 << 21),
        ),
        ("{{ cycle }}", Limit::ValueDepth),
        (deep, Limit::ValueDepth),
        (grow, Limit::Heap(8 << 20)),
    ] {
        let limits = Limits {
            output: 1 << 20,
            text: 1 << 21,
            heap: 8 << 20,
            ..Limits::default()
        };
        let (met, text) = on_large_stack(move || breach(source, limits));
        assert_eq!(met, Some(limit), "{source}: {text}");
        assert!(text.contains(&limit.to_string()), "{text}");
    }
}

/// Two MiB are what a test's thread has; so much nesting fits them.
#[test]
fn a_small_stack_is_safe_with_a_small_limit_of_nesting() {
    let limits = Limits {
        nesting: 600,
        ..Limits::default()
    };
    let source = "{{ define \"r\" }}{{ if true }}{{ with 1 }}{{ include \"r\" . }}{{ end }}{{ end }}{{ end }}{{ include \"r\" . }}";
    assert_eq!(breach(source, limits).0, Some(Limit::Nesting(600)));
}

#[test]
fn a_raised_flag_cancels() {
    let mut set = TemplateSet::new(functions());
    set.parse("x", "{{ range 100000 }}{{ end }}").expect("it parses");
    let flag = Arc::new(AtomicBool::new(false));
    let mut context = Context::new(Arc::new(set), Arc::default(), Limits::default()).with_cancel(flag.clone());
    assert!(context.execute("x", Value::Nil).is_ok());
    flag.store(true, Ordering::Relaxed);
    let error = context.execute("x", Value::Nil).expect_err("it is cancelled");
    assert_eq!(error.limit, Some(Limit::Cancelled));
}

#[test]
fn sources_are_bounded_in_depth() {
    for (open, close) in [("{{ if true }}", "{{ end }}"), ("{{ (", ") }}")] {
        let nested = |depth: usize| {
            if open.starts_with("{{ (") {
                format!("{{{{ {}1{} }}}}", "(".repeat(depth), ")".repeat(depth))
            } else {
                open.repeat(depth) + &close.repeat(depth)
            }
        };
        let mut set = TemplateSet::new(Functions::builtins());
        assert!(set.parse("x", &nested(MAX_PARSE_DEPTH / 2)).is_ok());
        let error = set
            .parse("x", &nested(MAX_PARSE_DEPTH + 1))
            .expect_err("it is too deep");
        assert_eq!(error.limit, Some(Limit::ParseDepth));
    }
}

/// What is shared can be executed by any number of threads, each with its own changes.
#[test]
fn a_change_in_one_rendering_is_not_seen_in_another() {
    let mut functions = functions();
    functions.add(
        "put",
        |context: &mut Context, map: convoy_template::value::MapRef, value: Value| -> Result<Value, Limit> {
            context.heap_mut().insert(map, "k", value)?;
            Ok(Value::string(""))
        },
    );
    let mut set = TemplateSet::new(functions);
    set.parse("x", "{{ put .m .v }}{{ .m.k }}{{ .alias.k }}")
        .expect("it parses");
    let set = Arc::new(set);
    let mut heap = convoy_template::value::Heap::default();
    let map = heap.map().expect("it fits");
    let top = heap.map().expect("it fits");
    for (key, value) in [("m", Value::Map(map)), ("alias", Value::Map(map)), ("v", Value::int(1))] {
        heap.insert(top, key, value).expect("it fits");
    }
    let base = heap.freeze();
    let threads: Vec<_> = (0..4)
        .map(|number| {
            let (set, base) = (set.clone(), base.clone());
            std::thread::spawn(move || {
                let mut context = Context::new(set, base, Limits::default());
                context
                    .heap_mut()
                    .insert(top, "v", Value::int(number))
                    .expect("it fits");
                context.execute("x", Value::Map(top)).expect("it renders")
            })
        })
        .collect();
    for (number, thread) in threads.into_iter().enumerate() {
        assert_eq!(
            thread.join().expect("nothing panics"),
            format!("{number}{number}").as_bytes()
        );
    }
    let mut context = Context::new(set, base, Limits::default());
    assert!(context.heap().get(map, b"k").is_none());
    assert_eq!(context.execute("x", Value::Map(top)).expect("it renders"), b"11");
}
