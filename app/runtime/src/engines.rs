//! Where renders run: on threads of their own, with stacks for templates that call each other a thousand deep.
//!
//! A thread lives as long as its render, so that what its stack took is given back.
//!
//! # Invariant
//! No more renders run than there are turns; one that is out of time, or whose caller is gone, is told to end.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use convoy_domain::condition::{Failure, Reason, Stage};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

/// Bytes of a stack. They are reserved and not committed: a page is taken when it is first used. A build without
/// optimisation needs several times as much.
const STACK: usize = if cfg!(debug_assertions) { 1 << 30 } else { 256 << 20 };

/// How long a render that was told to end is waited for.
const GRACE: Duration = Duration::from_secs(5);

/// The turns.
#[derive(Debug)]
pub(crate) struct Engines {
    turns: Arc<Semaphore>,
}

/// Tells the work to end when its caller is gone.
struct RaiseOnDrop(Arc<AtomicBool>);

impl Drop for RaiseOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Engines {
    /// At most `at_once` renders at a time.
    pub(crate) fn new(at_once: usize) -> Self {
        Self {
            turns: Arc::new(Semaphore::new(at_once.max(1))),
        }
    }

    /// Runs `work` on a thread, no longer than `bound` from its start; waiting for a turn does not count.
    ///
    /// # Errors
    /// Those of the work; `RenderTimeout`; `RenderFailed` when it panics.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        bound: Duration,
        work: impl FnOnce(&Arc<AtomicBool>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let Ok(turn) = Arc::clone(&self.turns).acquire_owned().await else {
            return Err(failed("no renders are made any more"));
        };
        let cancel = Arc::new(AtomicBool::new(false));
        let raise = RaiseOnDrop(Arc::clone(&cancel));
        let (tell, mut told) = oneshot::channel();
        let started = thread::Builder::new()
            .name("render".to_string())
            .stack_size(STACK)
            .spawn(move || {
                let answer = catch_unwind(AssertUnwindSafe(|| work(&cancel)));
                drop(turn);
                // Nobody hears it when the caller is gone.
                let _ = tell.send(answer);
            });
        if let Err(error) = started {
            return Err(failed(&format!("cannot start a thread to render in: {error}")));
        }
        if let Ok(answer) = timeout(bound, &mut told).await {
            return settled(answer);
        }
        drop(raise);
        // So that a render that was nearly done is not made again for nothing, and few run beside the next ones.
        match timeout(GRACE, told).await {
            Ok(answer) if matches!(answer, Ok(Ok(Ok(_)))) => settled(answer),
            Ok(_) | Err(_) => Err(Failure::new(
                Stage::Render,
                Reason::RenderTimeout,
                format!(
                    "rendering passes the limit `render wall time` of {} s",
                    bound.as_secs_f32()
                ),
            )),
        }
    }
}

type Answer<T> = Result<Result<Result<T, Failure>, Box<dyn Any + Send>>, oneshot::error::RecvError>;

fn settled<T>(answer: Answer<T>) -> Result<T, Failure> {
    match answer {
        Ok(Ok(done)) => done,
        // The panic itself was printed where it happened.
        Ok(Err(_)) | Err(_) => Err(failed("rendering failed inside")),
    }
}

fn failed(message: &str) -> Failure {
    Failure::new(Stage::Render, Reason::RenderFailed, message)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    const LONG: Duration = Duration::from_mins(1);

    #[tokio::test]
    async fn work_has_a_deep_stack() {
        fn deep(levels: usize) -> usize {
            let room = std::hint::black_box([levels; 512]);
            if levels == 0 {
                0
            } else {
                deep(levels - 1) + room[7] - levels + 1
            }
        }
        let deepest = Engines::new(1).run(LONG, |_| Ok(deep(20_000))).await;
        assert_eq!(deepest, Ok(20_000));
    }

    #[tokio::test]
    async fn a_render_without_end_is_told_to_end_and_called_slow() {
        let (tell, ended) = oneshot::channel();
        let endless = Engines::new(1)
            .run(Duration::from_millis(20), move |cancel: &Arc<AtomicBool>| {
                while !cancel.load(Ordering::Relaxed) {
                    thread::yield_now();
                }
                let _ = tell.send(());
                Err::<(), _>(failed("told to end"))
            })
            .await;
        let failure = endless.unwrap_err();
        assert_eq!(failure.reason, Reason::RenderTimeout);
        assert_eq!(
            failure.message,
            "rendering passes the limit `render wall time` of 0.02 s"
        );
        assert!(ended.await.is_ok());
    }

    #[tokio::test]
    async fn a_caller_that_goes_takes_its_render_with_it() {
        let (tell, ended) = oneshot::channel();
        let engines = Engines::new(1);
        let run = engines.run(LONG, move |cancel: &Arc<AtomicBool>| {
            while !cancel.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            let _ = tell.send(());
            Ok(())
        });
        assert!(timeout(Duration::from_millis(20), run).await.is_err());
        assert!(ended.await.is_ok());
    }

    #[tokio::test]
    async fn a_panic_fails_one_render_only() {
        let engines = Engines::new(1);
        let failure = engines
            .run(LONG, |_| -> Result<(), _> { panic!("a test panics") })
            .await;
        assert_eq!(failure.unwrap_err().message, "rendering failed inside");
        assert_eq!(engines.run(LONG, |_| Ok(1)).await, Ok(1));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn no_more_renders_run_than_there_are_turns() {
        let (engines, running, most) = (
            Engines::new(2),
            Arc::new(AtomicUsize::new(0)),
            Arc::new(AtomicUsize::new(0)),
        );
        let renders = (0..8).map(|_| {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            engines.run(LONG, move |_| {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                thread::sleep(Duration::from_millis(5));
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(())
            })
        });
        let done = futures::future::join_all(renders).await;
        assert!(done.into_iter().all(|done| done.is_ok()));
        assert_eq!(most.load(Ordering::SeqCst), 2);
    }
}
