//! Time grows with a text's length, and not faster.

use std::time::Instant;

use convoy_testkit_golden::oracle::Op;

/// Seconds that all readers together may take for one text of about a megabyte, on a slow machine: what is quadratic
/// takes minutes.
const PATIENCE: u64 = 20;

#[test]
fn no_shape_of_text_is_read_in_more_than_linear_time() {
    let count = 60_000;
    let lines = |line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<Vec<_>>().concat();
    let texts = [
        ("many keys", lines(&|index| format!("k{index}: é\n"))),
        ("one long line", format!("[{}]", "é, ".repeat(count))),
        ("many anchors", lines(&|index| format!("- &a{index} x\n"))),
        ("many aliases", format!("a: &a x\nb:\n{}", "- *a\n".repeat(900))),
        ("many comments", "# é\n".repeat(count) + "a: 1"),
        ("long folded text", "a: >\n".to_owned() + &"  é é\n\n".repeat(count)),
        ("long quoted text", format!("\"{}\"", "\\u00e9 \n".repeat(count))),
        ("long plain text", "é é\n".repeat(count)),
        ("many documents", "é\n---\n".repeat(9_000)),
        ("many small maps", "- {a: 1}\n".repeat(count)),
        (
            "merges",
            format!("a: &a {{x: 1}}\nb:\n{}", "- {<<: *a, y: 2}\n".repeat(900)),
        ),
    ];
    for (name, text) in texts {
        let started = Instant::now();
        for op in [
            Op::Helm,
            Op::HelmStrict,
            Op::HelmValues,
            Op::HelmDocuments,
            Op::Kustomize,
            Op::KustomizeDocuments,
        ] {
            assert!(
                op.ours(text.as_bytes()).is_ok(),
                "{name}: {:?}",
                op.ours(text.as_bytes())
            );
        }
        let took = started.elapsed();
        assert!(took.as_secs() < PATIENCE, "{name}: {} bytes took {took:?}", text.len());
    }
}
