//! The indexes of repositories, kept between look-ups.
//!
//! Each look-up asks the server, with what it said of the index before (`ETag`, `Last-Modified`), and receives the text
//! only when that has changed. Look-ups of one index that wait for each other share the answer of a request that began
//! after they did.
//!
//! # Invariants
//! - An index serves only sources with the URL, the TLS settings and the access that it was received with.
//! - What is kept stays below a bound, the index used longest ago going first.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use convoy_domain::access::Access;
use convoy_domain::source::{Source, Tls};
use convoy_helm::index::{INDEX_BYTES, Index, IndexError};
use convoy_ports::FetchError;
use convoy_web::header::{ETAG, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED};
use convoy_web::{Request, Session, Site, StatusCode, Url, failure};
use tokio::sync::{Mutex as Turn, Semaphore};
use tokio::time::Instant;

use crate::address;

/// How many texts of indexes are held at the same time.
const TEXTS: usize = 2;

/// Whose index it is.
#[derive(Clone, PartialEq, Eq)]
struct Owner {
    url: Url,
    tls: Tls,
    access: Access,
}

/// An index as it was received, and what a server said of it.
#[derive(Clone)]
struct Kept {
    index: Arc<Index>,
    conditions: Vec<(HeaderName, HeaderValue)>,
}

/// The last answer, and when its request began.
struct Outcome {
    asked: Instant,
    answer: Result<Arc<Index>, FetchError>,
}

/// One owner's index.
#[derive(Default)]
struct State {
    kept: Option<Kept>,
    last: Option<Outcome>,
}

struct Slot {
    owner: Owner,
    state: Turn<State>,
    /// For who does not wait.
    index: Mutex<Option<Arc<Index>>>,
}

/// All indexes of a process.
pub(crate) struct Indexes {
    /// The one used last comes last.
    slots: Mutex<Vec<Arc<Slot>>>,
    bytes: usize,
    texts: Semaphore,
}

impl std::fmt::Debug for Indexes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Indexes").finish_non_exhaustive()
    }
}

impl Indexes {
    /// Keeps at most about `bytes`.
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            slots: Mutex::default(),
            bytes,
            texts: Semaphore::new(TEXTS),
        }
    }

    /// The index as it was when it was last asked for, if it is kept.
    pub(crate) fn kept(&self, source: &Source, repository: &Url) -> Option<Arc<Index>> {
        lock(&self.slot(source, repository).index).clone()
    }

    /// The index as it is now.
    pub(crate) async fn ask(
        &self,
        session: &Session,
        source: &Source,
        repository: &Url,
    ) -> Result<Arc<Index>, FetchError> {
        let slot = self.slot(source, repository);
        let arrived = Instant::now();
        let mut state = slot.state.lock().await;
        if let Some(last) = state.last.as_ref().filter(|last| last.asked >= arrived) {
            return last.answer.clone();
        }
        let asked = Instant::now();
        let answer = self.request(session, repository, state.kept.as_ref()).await;
        if let Ok(kept) = &answer {
            state.kept = Some(kept.clone());
            *lock(&slot.index) = Some(Arc::clone(&kept.index));
        }
        let answer = answer.map(|kept| kept.index);
        state.last = Some(Outcome {
            asked,
            answer: answer.clone(),
        });
        drop(state);
        self.bound(&slot);
        answer
    }

    async fn request(&self, session: &Session, repository: &Url, kept: Option<&Kept>) -> Result<Kept, FetchError> {
        let url = address::resolve(repository, "index.yaml")?;
        let site = Site::of(&url);
        let mut request = Request::get(url);
        if let Some(kept) = kept.filter(|kept| !kept.conditions.is_empty()) {
            request = request.expect(StatusCode::NOT_MODIFIED);
            for (name, value) in &kept.conditions {
                request = request.header(name.clone(), value.clone());
            }
        }
        let answer = session.send(&request).await?;
        if answer.status() == StatusCode::NOT_MODIFIED
            && let Some(kept) = kept
        {
            return Ok(kept.clone());
        }
        let conditions = conditions(answer.headers());
        // A closed semaphore does not occur: nothing closes it.
        let _turn = self.texts.acquire().await;
        let limit = u64::try_from(INDEX_BYTES).unwrap_or(u64::MAX);
        let text = answer.body(limit, "an index")?.bytes().await?;
        let read = tokio::task::spawn_blocking(move || Index::read(&text)).await;
        let index = read.unwrap_or(Err(IndexError::Empty)).map_err(|error| match error {
            IndexError::Limit(limit) => site.limit(format!("{limit} in its index")),
            IndexError::Empty | IndexError::Syntax { .. } | IndexError::Type { .. } | IndexError::NoApiVersion => {
                site.index_invalid(failure::clean(&error.to_string()))
            }
        })?;
        Ok(Kept {
            index: Arc::new(index),
            conditions,
        })
    }

    fn slot(&self, source: &Source, repository: &Url) -> Arc<Slot> {
        let owner = Owner {
            url: repository.clone(),
            tls: source.tls.clone(),
            access: source.access.clone(),
        };
        let mut slots = lock(&self.slots);
        let slot = match slots.iter().position(|slot| slot.owner == owner) {
            Some(place) => slots.remove(place),
            None => Arc::new(Slot {
                owner,
                state: Turn::default(),
                index: Mutex::default(),
            }),
        };
        slots.push(Arc::clone(&slot));
        slot
    }

    /// Lets go of what is beyond the bound: all of it, if `newest` alone is.
    fn bound(&self, newest: &Arc<Slot>) {
        const OWNERS: usize = 1_000;
        let size = |slot: &Slot| lock(&slot.index).as_ref().map_or(0, |index| index.size());
        let mut slots = lock(&self.slots);
        let mut total: usize = slots.iter().map(|slot| size(slot)).sum();
        while total > self.bytes || slots.len() > OWNERS {
            let place = slots.iter().position(|slot| !Arc::ptr_eq(slot, newest)).unwrap_or(0);
            total -= size(&slots.remove(place));
        }
    }
}

/// What the next request may say that it has already.
fn conditions(headers: &HeaderMap) -> Vec<(HeaderName, HeaderValue)> {
    [(ETAG, IF_NONE_MATCH), (LAST_MODIFIED, IF_MODIFIED_SINCE)]
        .into_iter()
        .filter_map(|(said, condition)| Some((condition, headers.get(said)?.clone())))
        .collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
