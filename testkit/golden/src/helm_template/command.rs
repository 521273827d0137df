//! `helm template` itself: one process for a chart of many templates.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Answer, Question};
use crate::components;

/// What the command prints for a question, if it is installed.
///
/// # Panics
/// When the chart cannot be written or the command cannot be run.
#[must_use]
pub fn ask_command(question: &Question) -> Option<Answer> {
    let helm = components::find("helm")?;
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let chart = folder.path().join("chart");
    for (path, text) in &question.files {
        write(&chart.join(path), text);
    }
    let mut command = Command::new(helm);
    command.args(["template", "rel"]).arg(&chart).args(["-n", "ns"]);
    for (index, text) in question.values.iter().enumerate() {
        let path = folder.path().join(format!("values-{index}.yaml"));
        write(&path, text);
        command.arg("-f").arg(path);
    }
    write(&folder.path().join("file.txt"), "a, b\nc: {d}\n");
    for (option, text) in &question.sets {
        command.arg(format!("{option}={text}"));
    }
    let output = command
        .current_dir(folder.path())
        .envs(["HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"].map(|name| (name, folder.path())))
        .env("KUBECONFIG", "/nonexistent")
        .env("TZ", "UTC")
        .output()
        .expect("helm runs");
    if output.status.success() {
        return Some(Ok(String::from_utf8_lossy(&output.stdout).into_owned()));
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let error = text.split_once("Error: ").map_or(&*text, |(_, error)| error);
    let error = error.split("\n\nUse --debug").next().unwrap_or(error);
    Some(Err(error.trim_end().to_owned()))
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder can be made");
    fs::write(path, text).expect("a file can be written");
}
