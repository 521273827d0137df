//! Charts for measurements, made in code: what people have, in the sizes that they have.
//!
//! [`small`] is what a service begins with, [`large`] a product of many parts, [`umbrella`] a collection of charts. All
//! of them use helpers, values with defaults, `include`, `toYaml`, `nindent`, `tpl`, `range`, `with` and `lookup`-free
//! conditions, as charts do.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const HELPERS: &str = include_str!("charts/helpers.tpl");
const DEPLOYMENT: &str = include_str!("charts/deployment.yaml");
const SERVICE: &str = include_str!("charts/service.yaml");
const ACCOUNT: &str = include_str!("charts/account.yaml");
const INGRESS: &str = include_str!("charts/ingress.yaml");
const AUTOSCALER: &str = include_str!("charts/autoscaler.yaml");
const CONFIG: &str = include_str!("charts/config.yaml");
const RULES: &str = include_str!("charts/rules.yaml");
const PROBE: &str = include_str!("charts/probe.yaml");
const NOTES: &str = include_str!("charts/notes.txt");
const VALUES: &str = include_str!("charts/values.yaml");

/// Path below the chart's folder, and text.
pub type Files = Vec<(String, String)>;

/// A chart of one workload: six templates, helpers, notes and a test hook.
#[must_use]
pub fn small(name: &str) -> Files {
    let mut files = vec![
        ("Chart.yaml".to_string(), about(name)),
        ("values.yaml".to_string(), VALUES.to_string()),
    ];
    for (path, text) in [
        ("templates/_helpers.tpl", HELPERS),
        ("templates/deployment.yaml", DEPLOYMENT),
        ("templates/service.yaml", SERVICE),
        ("templates/serviceaccount.yaml", ACCOUNT),
        ("templates/ingress.yaml", INGRESS),
        ("templates/hpa.yaml", AUTOSCALER),
        ("templates/configmap.yaml", CONFIG),
        ("templates/tests/connection.yaml", PROBE),
        ("templates/NOTES.txt", NOTES),
    ] {
        // Names of templates are global: each chart has its own.
        files.push((path.to_string(), text.replace("app.", &format!("{name}."))));
    }
    files
}

/// A chart of `count` templates: parts with values of their own, each of which has several objects.
#[must_use]
pub fn large(name: &str, count: usize) -> Files {
    let kinds = [
        ("deployment", DEPLOYMENT),
        ("service", SERVICE),
        ("account", ACCOUNT),
        ("config", CONFIG),
        ("ingress", INGRESS),
        ("hpa", AUTOSCALER),
        ("rules", RULES),
    ];
    let mut files = vec![("Chart.yaml".to_string(), about(name))];
    files.push((
        "templates/_helpers.tpl".to_string(),
        HELPERS.replace("app.", &format!("{name}.")),
    ));
    let mut values = String::from(VALUES);
    for index in 0..count {
        let part = format!("part{}", index / kinds.len());
        let (kind, text) = kinds[index % kinds.len()];
        if index % kinds.len() == 0 {
            let _ = writeln!(values, "{part}:\n  component: {part}");
            for line in VALUES.lines() {
                let _ = writeln!(values, "  {line}");
            }
        }
        let text = text
            .replace("app.", &format!("{name}."))
            .replace(".Values.", &format!(".Values.{part}."))
            .replace("name: {{ include", &format!("name: {part}-{{{{ include"));
        files.push((format!("templates/{part}/{kind}.yaml"), text));
    }
    files.push(("values.yaml".to_string(), values));
    files
}

/// A chart without templates of its own over `count` charts, each with a condition and values from above.
#[must_use]
pub fn umbrella(name: &str, count: usize) -> Files {
    let mut chart = about(name);
    chart.push_str("dependencies:\n");
    let mut values = String::from("global:\n  region: north\n  labels:\n    team: platform\n    stage: production\n");
    let mut files = Vec::new();
    for index in 0..count {
        let sub = format!("sub{index:03}");
        let _ = writeln!(
            chart,
            "  - name: {sub}\n    version: 1.2.3\n    condition: {sub}.enabled"
        );
        let _ = writeln!(
            values,
            "{sub}:\n  enabled: true\n  replicaCount: {}\n  image:\n    tag: \"1.{index}.0\"\n  resources:\n    limits:\n      cpu: {index}m",
            index % 5
        );
        for (path, text) in small(&sub) {
            files.push((format!("charts/{sub}/{path}"), text));
        }
    }
    files.push(("Chart.yaml".to_string(), chart));
    files.push(("values.yaml".to_string(), values));
    files
}

fn about(name: &str) -> String {
    format!(
        "apiVersion: v2\nname: {name}\ndescription: A chart for measurements\ntype: application\nversion: 1.2.3\nappVersion: \"2.4.6\"\n\
         keywords:\n  - measurement\nmaintainers:\n  - name: someone\n    email: someone@example.com\n"
    )
}

/// Writes files below a folder.
///
/// # Panics
/// When they cannot be written.
pub fn write(folder: &Path, files: &Files) {
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }
}
