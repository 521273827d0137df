//! Charts in kustomizations, rendered by our Helm engine, against recorded answers of `kustomize build --enable-helm`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use convoy_helm::layers::{self, Layer};
use convoy_helm::{Chart, KubeVersion, Selection, Settings};
use convoy_kustomize::{ChartRenderer, ChartRequest, Files, Options, build};
use convoy_testkit_golden::kustomize_build::Tree;

/// A recorded case.
#[derive(serde::Deserialize)]
struct Case {
    tool: String,
    directory: String,
    files: Tree,
    output: Option<String>,
}

/// Renders charts out of a tree in memory.
#[derive(Debug)]
struct InMemory(BTreeMap<String, Arc<[u8]>>);

impl InMemory {
    fn chart(&self, directory: &str) -> Result<Chart, String> {
        let below = format!("{directory}/");
        let files = self.0.range(below.clone()..).map_while(|(path, content)| {
            let path = path.strip_prefix(&below)?;
            Some((path.to_string(), Arc::clone(content)))
        });
        Chart::load(&files.collect()).map_err(|error| error.to_string())
    }
}

impl ChartRenderer for InMemory {
    fn render(&self, request: &ChartRequest) -> Result<String, String> {
        let values: Vec<Layer<'_>> = request
            .values
            .iter()
            .map(|layer| Layer::File(&layer.path, &layer.content))
            .collect();
        let mut nothing = |name: &str| Err(name.to_string());
        let kube_version = request.kube_version.as_deref().map(KubeVersion::parse).transpose();
        let release_name = match (&request.release, &request.name_template) {
            (Some(_), Some(_)) => return Err("a name and a template for it".into()),
            (Some(name), None) => name.clone(),
            (None, Some(_)) => "xyy".into(),
            (None, None) => "release-name".into(),
        };
        let settings = Settings {
            release_name,
            namespace: request.namespace.clone().unwrap_or_else(|| "default".into()),
            values: layers::apply(&values, &mut nothing).map_err(|error| error.to_string())?,
            api_versions: request.api_versions.clone(),
            kube_version: kube_version.map_err(|error| error.to_string())?.unwrap_or_default(),
            validates_schema: true,
            ..Settings::default()
        };
        let rendered =
            convoy_helm::render(&self.chart(&request.directory)?, &settings).map_err(|error| error.to_string())?;
        Ok(rendered.text(Selection {
            include_crds: request.include_crds,
            skip_tests: request.skip_tests,
            no_hooks: request.skip_hooks,
        }))
    }
}

fn ours(case: &Case) -> Result<String, String> {
    let files: BTreeMap<String, Arc<[u8]>> = case
        .files
        .iter()
        .map(|(path, text)| (path.clone(), text.as_bytes().into()))
        .collect();
    let tree: Files = files
        .iter()
        .map(|(path, content)| (path, Arc::clone(content)))
        .collect();
    let options = Options {
        charts: Some(Arc::new(InMemory(files))),
        ..Options::default()
    };
    let built = build(&tree, &case.directory, &options).map_err(|error| error.to_string())?;
    built.to_yaml().map_err(|error| error.to_string())
}

fn cases() -> BTreeMap<String, Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/kustomize-helm");
    let files = fs::read_dir(folder).expect("the cases are there");
    let paths = files.map(|file| file.expect("a file").path());
    paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| {
            let case = serde_json::from_slice(&fs::read(&path).expect("a case")).expect("a case");
            (path.file_name().expect("a name").to_string_lossy().into_owned(), case)
        })
        .collect()
}

#[test]
fn charts_give_what_kustomize_got_from_helm() {
    // Templates may call each other deeply: more stack than a test's thread has.
    let worker = thread::Builder::new().stack_size(64 << 20).spawn(|| {
        let cases = cases();
        assert!(cases.len() >= 50, "{} cases", cases.len());
        let mut failures = Vec::new();
        for (name, case) in &cases {
            assert_eq!(case.tool, "kustomize 5.8.1, helm 4.2.3", "{name}");
            let ours = ours(case);
            if ours.as_ref().ok() != case.output.as_ref() {
                failures.push(format!("{name}: ours {ours:#?}\ntheirs {:#?}", case.output));
            }
        }
        assert!(failures.is_empty(), "{}", failures.join("\n\n").replace("\\n", "\n"));
    });
    worker.expect("a thread").join().expect("no difference");
}

#[test]
fn a_chart_that_is_not_in_the_tree_is_refused_by_its_url() {
    let text = "helmCharts: [{name: a, repo: 'https://charts.example.com', version: 1.0.0}]";
    let files: Files = [("kustomization.yaml", text.as_bytes())].into_iter().collect();
    let options = Options {
        charts: Some(Arc::new(InMemory(BTreeMap::new()))),
        ..Options::default()
    };
    let problem = build(&files, "", &options).expect_err("a refusal").to_string();
    assert_eq!(
        problem,
        "`kustomization.yaml`: `helmCharts`: `https://charts.example.com` is remote, and nothing is fetched"
    );
    let problem = build(&files, "", &Options::default())
        .expect_err("a refusal")
        .to_string();
    assert!(problem.contains("charts are not rendered here"), "{problem}");
}
