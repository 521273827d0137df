//! How fast charts render against Helm, in one run on one machine, and in how much memory.
//!
//! `cargo build --release -p convoy && cargo bench -p convoy-testkit-golden --bench helm [-- PART…]`; a part of a name
//! picks charts, a path measures the chart there. Three comparisons, each by processor time of all threads:
//!
//! - `process`: `convoy render helm` against `helm template`, the cheapest of several runs each, and peak memory;
//! - `warm`: rendering a chart that is in memory against the Helm SDK doing the same in a loop (`testkit/oracle`);
//! - how the cost grows from an umbrella of 10 charts to one of 100.
//!
//! Both sides must print the same text.
#![expect(clippy::print_stdout, reason = "what it is for is to print")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs, thread};

use convoy_helm::{Chart, CompiledChart, Files, Settings};
use convoy_testkit_golden::measure::{self, Cost};
use convoy_testkit_golden::{charts, components};

/// As in our command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How often both sides are measured in turn.
const ROUNDS: usize = 3;

/// What a render runs on: templates may include each other a thousand deep.
const STACK: usize = 512 << 20;

fn main() {
    if measure::answer_if_asked() {
        return;
    }
    let (Some(helm), Some(oracle)) = (components::find("helm"), components::find("helm-oracle")) else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let tools = Tools {
        convoy: convoy(),
        helm,
        oracle,
    };
    let mut costs = BTreeMap::new();
    println!(
        "{:14} {:>9} {:>9} {:>7} {:>9} {:>9} {:>7} {:>9} {:>9} {:>7}",
        "chart", "helm ms", "ours ms", "ratio", "helm MiB", "ours MiB", "ratio", "SDK ms", "ours ms", "ratio"
    );
    for (name, path) in chosen(folder.path()) {
        costs.insert(name.clone(), tools.compare(&name, &path));
    }
    for (side, cost) in [
        ("ours", (|costs: &Costs| costs.ours.cpu) as fn(&Costs) -> Duration),
        ("helm", |costs| costs.helm.cpu),
        ("ours, warm", |costs| costs.warm),
        ("SDK", |costs| costs.sdk),
    ] {
        if let (Some(ten), Some(hundred)) = (costs.get("umbrella10"), costs.get("umbrella100")) {
            let factor = cost(hundred).as_secs_f64() / cost(ten).as_secs_f64();
            println!("an umbrella of 100 costs {factor:.1} times one of 10: {side}");
        }
    }
}

/// The charts that the arguments pick: name and folder.
fn chosen(folder: &Path) -> Vec<(String, PathBuf)> {
    let picks: Vec<String> = env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let made = [
        ("small", charts::small("small")),
        ("templates100", charts::large("large", 100)),
        ("umbrella10", charts::umbrella("umbrella", 10)),
        ("umbrella100", charts::umbrella("umbrella", 100)),
    ];
    let mut chosen = Vec::new();
    for (name, files) in made {
        if picks.is_empty() || picks.iter().any(|pick| name.contains(pick.as_str())) {
            let path = folder.join(name);
            charts::write(&path, &files);
            chosen.push((name.to_string(), path));
        }
    }
    for pick in picks.iter().map(PathBuf::from).filter(|pick| pick.exists()) {
        let name = pick.file_name().map(|name| name.to_string_lossy().into_owned());
        chosen.push((name.unwrap_or_default(), pick));
    }
    chosen
}

/// The release build of our command, beside the folder that this program is in.
fn convoy() -> PathBuf {
    if let Some(path) = env::var_os("CONVOY_BIN") {
        return path.into();
    }
    let me = env::current_exe().expect("a process knows its program");
    let path = me.ancestors().nth(2).map(|folder| folder.join("convoy"));
    path.filter(|path| path.is_file())
        .expect("`cargo build --release -p convoy` comes first, or CONVOY_BIN names the program")
}

struct Tools {
    convoy: PathBuf,
    helm: PathBuf,
    oracle: PathBuf,
}

struct Costs {
    ours: Cost,
    helm: Cost,
    warm: Duration,
    sdk: Duration,
}

impl Tools {
    fn compare(&self, name: &str, chart: &Path) -> Costs {
        self.check_texts(chart);
        let files = read(chart);
        let mut best: Option<Costs> = None;
        for _ in 0..ROUNDS {
            let ours = measure::alone(&self.convoy, &words(&["render", "helm"], chart), 10);
            let helm = measure::alone(&self.helm, &words(&["template"], chart), 3);
            let sdk = self.sdk(chart);
            let warm = warm(&files);
            let least = |a: Cost, b: Cost| Cost {
                cpu: a.cpu.min(b.cpu),
                peak_kib: a.peak_kib.min(b.peak_kib),
            };
            best = Some(match best {
                None => Costs { ours, helm, warm, sdk },
                Some(before) => Costs {
                    ours: least(before.ours, ours),
                    helm: least(before.helm, helm),
                    warm: before.warm.min(warm),
                    sdk: before.sdk.min(sdk),
                },
            });
        }
        let costs = best.expect("there is a round");
        show(name, &costs);
        costs
    }

    fn check_texts(&self, chart: &Path) {
        let text = |program: &Path, arguments: &[OsString]| {
            let output = Command::new(program)
                .args(arguments)
                .output()
                .expect("the program runs");
            assert!(
                output.status.success(),
                "`{}` fails: {}",
                program.display(),
                String::from_utf8_lossy(&output.stderr)
            );
            output.stdout
        };
        assert!(
            text(&self.convoy, &words(&["render", "helm"], chart)) == text(&self.helm, &words(&["template"], chart)),
            "the texts of `{}` differ",
            chart.display()
        );
    }

    /// Processor time of one render in the SDK's loop.
    fn sdk(&self, chart: &Path) -> Duration {
        let output = Command::new(&self.oracle)
            .args(words(&["-n", "10"], chart))
            .output()
            .expect("the oracle runs");
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the oracle answers with JSON");
        Duration::from_secs_f64(answer["cpu_ms"].as_f64().expect("the oracle measures") / 1e3)
    }
}

fn words(first: &[&str], chart: &Path) -> Vec<OsString> {
    first.iter().map(OsString::from).chain([chart.into()]).collect()
}

/// Processor time of one render of a chart that is loaded.
fn warm(files: &Files) -> Duration {
    let chart = CompiledChart::new(Chart::load(files).expect("the chart loads"));
    let settings = Settings::default();
    let work = move || {
        let round = || {
            black_box(black_box(&chart).render(&settings)).expect("the chart renders");
        };
        round();
        let (start, mut rounds) = (measure::thread_time(), 0);
        let spent = || measure::thread_time().saturating_sub(start);
        while rounds < 10 || spent() < Duration::from_millis(300) {
            round();
            rounds += 1;
        }
        spent() / rounds
    };
    let worker = thread::Builder::new().stack_size(STACK).spawn(work);
    worker.expect("a thread starts").join().expect("the render ends")
}

fn show(name: &str, costs: &Costs) {
    let millis = |duration: Duration| duration.as_secs_f64() * 1e3;
    let mib = |cost: Cost| f64::from(u32::try_from(cost.peak_kib).unwrap_or(u32::MAX)) / 1024.0;
    print!("{name:14}");
    for (theirs, ours) in [
        (millis(costs.helm.cpu), millis(costs.ours.cpu)),
        (mib(costs.helm), mib(costs.ours)),
        (millis(costs.sdk), millis(costs.warm)),
    ] {
        print!(" {theirs:9.2} {ours:9.2} {:7.1}", theirs / ours);
    }
    println!();
}

fn read(folder: &Path) -> Files {
    fn walk(folder: &Path, base: &str, files: &mut Files) {
        for entry in fs::read_dir(folder).expect("the folder can be read") {
            let path = entry.expect("the folder can be read").path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            let name = format!("{base}{}", name.unwrap_or_default());
            if path.is_dir() {
                walk(&path, &format!("{name}/"), files);
            } else {
                files.insert(name, fs::read(&path).expect("the file can be read").into());
            }
        }
    }
    let mut files = Files::new();
    walk(folder, "", &mut files);
    files
}
