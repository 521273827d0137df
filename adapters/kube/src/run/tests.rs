use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use futures::stream;
use tokio::sync::oneshot;
use tokio::time::sleep;

use super::index::{Facts, Inputs, Watched};
use super::*;

/// A reconciler that counts.
#[derive(Default)]
struct Counter {
    looks: Mutex<BTreeMap<String, u32>>,
    at_once: AtomicUsize,
    most_at_once: AtomicUsize,
    takes: Duration,
}

impl Counter {
    fn looks(&self, name: &str) -> u32 {
        self.looks.lock().unwrap().get(name).copied().unwrap_or_default()
    }
}

#[async_trait]
impl Reconciler for Counter {
    async fn release(&self, id: &ReleaseId) -> Requeue {
        let now = self.at_once.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_at_once.fetch_max(now, Ordering::SeqCst);
        sleep(self.takes).await;
        self.at_once.fetch_sub(1, Ordering::SeqCst);
        *self.looks.lock().unwrap().entry(id.name().to_owned()).or_default() += 1;
        match id.name() {
            "bad" => panic!("this one always panics"),
            "often" => Requeue::After(Duration::from_secs(1)),
            "greedy" => Requeue::After(Duration::ZERO),
            _ => Requeue::OnChange,
        }
    }

    async fn source(&self, _: &SourceKey) -> Requeue {
        Requeue::OnChange
    }

    async fn cluster(&self, _: &NamespacedName) -> Requeue {
        Requeue::OnChange
    }
}

fn key(name: &str) -> Key {
    Key::Release(ReleaseId::new("apps", name).unwrap())
}

fn found(name: &str, generation: i64) -> Seen {
    let inputs = Inputs {
        generation,
        ..Inputs::default()
    };
    let facts = Facts {
        key: key(name),
        inputs,
        state: Vec::new(),
        names: [].into(),
        rest: Duration::from_secs(30),
    };
    Seen::Object(Watched::Releases, Box::new(facts))
}

/// Runs the loops on `seen` for so many (virtual) seconds.
async fn run_for(seconds: u64, counter: &Arc<Counter>, settings: Settings, seen: Vec<Seen>) {
    let loops = WatchLoops::new(Arc::clone(counter) as Arc<dyn Reconciler>, settings);
    let events = stream::iter(seen).chain(stream::pending());
    loops.run_on(events, sleep(Duration::from_secs(seconds))).await;
}

#[tokio::test(start_paused = true)]
async fn a_burst_of_changes_is_one_look() {
    let counter = Arc::new(Counter::default());
    let seen = (1..50).map(|generation| found("web", generation)).collect();
    run_for(5, &counter, Settings::default(), seen).await;
    assert_eq!(counter.looks("web"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_requeue_is_kept_and_a_greedy_one_is_slowed_down() {
    let counter = Arc::new(Counter::default());
    run_for(
        10,
        &counter,
        Settings::default(),
        vec![found("often", 1), found("greedy", 1)],
    )
    .await;
    assert!((9..=11).contains(&counter.looks("often")), "{}", counter.looks("often"));
    assert!(
        (500..=1_001).contains(&counter.looks("greedy")),
        "{}",
        counter.looks("greedy")
    );
}

#[tokio::test(start_paused = true)]
async fn no_more_than_the_limit_run_at_once_and_all_have_their_turn() {
    let counter = Arc::new(Counter {
        takes: Duration::from_millis(100),
        ..Counter::default()
    });
    let settings = Settings {
        max_concurrent: 3,
        ..Settings::default()
    };
    let seen = (0..20).map(|number| found(&format!("r{number}"), 1)).collect();
    run_for(5, &counter, settings, seen).await;
    assert_eq!(counter.most_at_once.load(Ordering::SeqCst), 3);
    assert_eq!(counter.looks.lock().unwrap().len(), 20);
}

#[tokio::test(start_paused = true)]
async fn a_panic_ends_one_look_and_no_other() {
    let counter = Arc::new(Counter::default());
    let settings = Settings {
        after_panic: Duration::from_secs(2),
        ..Settings::default()
    };
    run_for(5, &counter, settings, vec![found("bad", 1), found("web", 1)]).await;
    assert_eq!(counter.looks("web"), 1);
    // The look that panicked had counted itself before.
    assert_eq!(counter.looks("bad"), 3, "and it is tried again");
}

#[tokio::test(start_paused = true)]
async fn a_look_may_be_asked_for_from_outside() {
    let counter = Arc::new(Counter::default());
    let loops = WatchLoops::new(Arc::clone(&counter) as Arc<dyn Reconciler>, Settings::default());
    loops.enqueue().look_at(key("web"));
    loops.run_on(stream::pending(), sleep(Duration::from_secs(1))).await;
    assert_eq!(counter.looks("web"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_release_that_is_gone_is_not_looked_at_by_its_requeue() {
    let counter = Arc::new(Counter::default());
    let (gone, when) = oneshot::channel::<()>();
    let events = stream::iter([found("often", 1)])
        .chain(stream::once(async {
            when.await.unwrap();
            Seen::Gone(Watched::Releases, key("often"))
        }))
        .chain(stream::pending());
    let loops = WatchLoops::new(Arc::clone(&counter) as Arc<dyn Reconciler>, Settings::default());
    let ended = async {
        sleep(Duration::from_millis(2_500)).await;
        gone.send(()).unwrap();
        sleep(Duration::from_secs(10)).await;
    };
    loops.run_on(events, ended).await;
    assert_eq!(counter.looks("often"), 3);
}

#[tokio::test(start_paused = true)]
async fn looks_under_way_are_waited_for_but_not_for_ever() {
    let check = |takes: u64, grace: u64, expect: u32| async move {
        let counter = Arc::new(Counter {
            takes: Duration::from_secs(takes),
            ..Counter::default()
        });
        let settings = Settings {
            grace: Duration::from_secs(grace),
            ..Settings::default()
        };
        let started = Instant::now();
        run_for(1, &counter, settings, vec![found("web", 1)]).await;
        assert!(started.elapsed() <= Duration::from_secs(1 + grace));
        assert_eq!(counter.looks("web"), expect);
    };
    check(5, 20, 1).await;
    check(50, 20, 0).await;
}
