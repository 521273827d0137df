//! `kustomize <root> <directory> [none]`: builds a kustomization below a folder, as `kubectl kustomize` prints it.

use std::path::PathBuf;
use std::process::ExitCode;

use convoy_kustomize::LoadRestrictor;
use convoy_testkit_golden::kustomize;

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "a command prints")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [root, directory, rest @ ..] = &arguments[..] else {
        eprintln!("name a root, and a directory below it");
        return ExitCode::FAILURE;
    };
    let restrictor = if rest.is_empty() { LoadRestrictor::Root } else { LoadRestrictor::None };
    let answer = kustomize::read_tree(&PathBuf::from(root))
        .map_err(|error| error.to_string())
        .and_then(|files| kustomize::ours(&files, directory, restrictor));
    match answer {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}
