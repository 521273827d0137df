//! Our answers.

use convoy_helm::layers::{self, Layer};
use convoy_helm::{Chart, Files, KeyedEntropy, Selection, Settings, Setup, render};
use convoy_sprig::Randomness;
use convoy_template::value::Time;

use super::{Answer, Question};

/// What `--set-file` finds: one file, as in the oracle.
const FILE: (&str, &str) = ("file.txt", "a, b\nc: {d}\n");

/// What our engine makes of a question.
///
/// # Errors
/// When it refuses the chart: Helm's words.
pub fn answer(question: &Question) -> Answer {
    run(question).map_err(|error| error.go_text())
}

fn run(question: &Question) -> Result<String, convoy_helm::Error> {
    let mut all: Vec<Layer<'_>> = question
        .values
        .iter()
        .map(|text| Layer::File("values", text.as_bytes()))
        .collect();
    all.extend(question.sets.iter().map(|(option, text)| match option.as_str() {
        "--set-json" => Layer::Json(text),
        "--set-string" => Layer::Text(text),
        "--set-file" => Layer::Content(text),
        "--set-literal" => Layer::Literal(text),
        _ => Layer::Set(text),
    }));
    let mut read = |name: &str| {
        if name == FILE.0 {
            return Ok(FILE.1.into());
        }
        Err(format!("open {name}: no such file or directory"))
    };
    let values = layers::apply(&all, &mut read)?;
    let files: Files = question
        .files
        .iter()
        .map(|(path, text)| (path.clone(), text.as_bytes().into()))
        .collect();
    let settings = Settings {
        release_name: "rel".into(),
        namespace: "ns".into(),
        values,
        setup: setup(),
        ..Settings::default()
    };
    let rendered = render(&Chart::load(&files)?, &settings)?;
    Ok(rendered.text(Selection::default()))
}

/// A clock that stands, and a generator that is always the same.
fn setup() -> Setup {
    Setup::new(|mut context| {
        let entropy = KeyedEntropy::new(b"golden", "ns", "rel", 0);
        context.put_state(Randomness::new(Time::unix(1_700_000_000, 0), entropy));
        context
    })
}

/// Runs on a stack that holds a thousand includes.
///
/// # Panics
/// When `work` does.
pub fn on_a_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new()
            .stack_size(512 << 20)
            .spawn_scoped(scope, work)
            .expect("a thread can be started");
        worker.join().expect("the work ends")
    })
}
