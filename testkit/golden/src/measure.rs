//! What processes cost, as the kernel counts it.
//!
//! Processor time is that of user and system together, of all threads: what a machine has to give, whatever else it is
//! doing. Peak memory is the largest resident set.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, iter};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

/// What one run of a command cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Processor time of the cheapest run.
    pub cpu: Duration,
    /// Largest resident set of all runs.
    pub peak_kib: u64,
}

/// Processor time that this thread has used.
///
/// # Panics
/// When the kernel does not say.
#[must_use]
pub fn thread_time() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_THREAD).expect("the kernel counts threads");
    duration(usage.user_time()) + duration(usage.system_time())
}

/// Processor time of all processes that this one has waited for.
///
/// # Panics
/// When the kernel does not say.
#[must_use]
pub fn children_time() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the kernel counts children");
    duration(usage.user_time()) + duration(usage.system_time())
}

fn duration(time: TimeVal) -> Duration {
    let micros = time.tv_sec() * 1_000_000 + time.tv_usec();
    Duration::from_micros(u64::try_from(micros).unwrap_or_default())
}

/// Processor time of the cheapest of several runs of a command; no other child may end meanwhile.
///
/// # Panics
/// When the command fails.
#[must_use]
pub fn cheapest(program: &Path, arguments: &[OsString], runs: usize) -> Duration {
    let cost = |_| {
        let before = children_time();
        let status = Command::new(program)
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(
            status.is_ok_and(|status| status.success()),
            "`{}` fails with {arguments:?}",
            program.display()
        );
        children_time().saturating_sub(before)
    };
    (0..runs).map(cost).min().unwrap_or_default()
}

/// The word that makes a benchmark measure a command in place of what it does otherwise.
const ALONE: &str = "--measure-alone";

/// Measures a command from a process of its own, because peak memory is counted over all children that a process ever
/// had. The program that calls this begins with [`answer_if_asked`].
///
/// # Panics
/// When the command fails.
#[must_use]
pub fn alone(program: &Path, arguments: &[OsString], runs: usize) -> Cost {
    let me = env::current_exe().expect("a process knows its program");
    let words = [OsString::from(ALONE), runs.to_string().into(), program.into()];
    let output = Command::new(me)
        .args(words.into_iter().chain(arguments.iter().cloned()))
        .stderr(Stdio::inherit())
        .output()
        .expect("a program can run itself");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut numbers = text.split_whitespace().map(|word| word.parse::<u64>().ok());
    match (numbers.next().flatten(), numbers.next().flatten()) {
        (Some(micros), Some(peak_kib)) => Cost {
            cpu: Duration::from_micros(micros),
            peak_kib,
        },
        _ => panic!("`{}` cannot be measured: {text}", program.display()),
    }
}

/// Does the part of [`alone`] that runs in a process of its own, if this process is that; then the caller has to end.
///
/// # Panics
/// When the command fails.
#[must_use]
#[expect(clippy::print_stdout, reason = "the answer goes to the process that asked")]
pub fn answer_if_asked() -> bool {
    let mut words = env::args_os().skip(1);
    if words.next().is_none_or(|word| word != ALONE) {
        return false;
    }
    let runs = words.next().and_then(|runs| runs.to_str()?.parse().ok()).unwrap_or(1);
    let program = words.next().expect("a command is named");
    let arguments: Vec<OsString> = iter::from_fn(|| words.next()).collect();
    let cpu = cheapest(Path::new(&program), &arguments, runs);
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the kernel counts children");
    println!("{} {}", cpu.as_micros(), usage.max_rss());
    true
}
