//! The text of a render comes in parts: together they are what Helm prints.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use convoy_helm::{Chart, Files, Rendered, Selection, Settings, render};

const CHART: &str = "apiVersion: v2\nname: c\nversion: 1.0.0\n";

/// Config maps and hooks, each with a text of this length, and blanks at the end.
fn rendered(maps: usize, hooks: usize, length: usize) -> Rendered {
    let text = "x".repeat(length);
    let map = |name: String| format!("kind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{a: {text}}}\n\n \n");
    let hook = |name: String| {
        format!(
            "kind: Job\nmetadata: {{name: {name}, annotations: {{helm.sh/hook: pre-install}}}}\ndata: {{a: {text}}}\n"
        )
    };
    let mut files: Files = [("Chart.yaml".to_owned(), CHART.as_bytes().into())].into();
    for at in 0..maps {
        let name = format!("m{at:03}");
        files.insert(format!("templates/{name}.yaml"), map(name).as_bytes().into());
    }
    for at in 0..hooks {
        let name = format!("h{at:03}");
        files.insert(format!("templates/{name}.yaml"), hook(name).as_bytes().into());
    }
    render(&Chart::load(&files).unwrap(), &Settings::default()).unwrap()
}

/// The text as the rules of printing say it.
fn expected(rendered: &Rendered) -> String {
    let print = |source: &str, content: &str| format!("---\n# Source: {source}\n{content}\n");
    let manifests = rendered.manifests.iter();
    let text: String = manifests.map(|one| print(&one.source, &one.content)).collect();
    let hooks = rendered.hooks.iter().map(|hook| &hook.manifest);
    let hooks: String = hooks.map(|one| print(&one.source, &one.content)).collect();
    format!("{}\n{hooks}", text.trim_end())
}

#[test]
fn parts_are_the_text() {
    let check = |maps: usize, hooks: usize, length: usize, several: bool| {
        let rendered = rendered(maps, hooks, length);
        let mut parts = Vec::new();
        let write = |part: &str| {
            parts.push(part.to_owned());
            Ok::<(), ()>(())
        };
        rendered.write_text(Selection::default(), write).unwrap();
        let case = format!("{maps} {hooks} {length}");
        assert_eq!(parts.concat(), expected(&rendered), "{case}");
        assert_eq!(rendered.text(Selection::default()), expected(&rendered), "{case}");
        assert_eq!(parts.len() > 1, several, "{case}");
    };
    check(0, 0, 0, false);
    check(1, 0, 10, false);
    check(0, 2, 10, false);
    check(1, 0, 100_000, false);
    check(2, 0, 100_000, true);
    check(100, 3, 1_000, true);
    check(3, 100, 1_000, true);
}

#[test]
fn who_writes_may_end_the_text() {
    let mut count = 0;
    let write = |_: &str| {
        count += 1;
        Err("full")
    };
    assert_eq!(
        rendered(9, 9, 20_000).write_text(Selection::default(), write),
        Err("full")
    );
    assert_eq!(count, 1);
}

/// A template of one document keeps its text, one of several is split: both are trimmed alike.
#[test]
fn a_document_alone_is_what_it_is_among_others() {
    let contents = |text: &str| -> Vec<String> {
        let files: Files = [("Chart.yaml", CHART), ("templates/a.yaml", text)]
            .map(|(name, text)| (name.to_owned(), text.as_bytes().into()))
            .into();
        let rendered = render(&Chart::load(&files).unwrap(), &Settings::default()).unwrap();
        rendered.manifests.into_iter().map(|one| one.content).collect()
    };
    assert_eq!(contents("\n\n---\n# é\nkind: A\n \n"), ["# é\nkind: A\n \n"]);
    assert_eq!(contents("\n\n---\n# é\nkind: A\n \n---\n\n"), ["# é\nkind: A"]);
    assert_eq!(contents("kind: A\n---\nkind: B\n"), ["kind: A", "kind: B\n"]);
}
