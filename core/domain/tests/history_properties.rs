//! Keys of the history and of the store, for any time and any text.

use convoy_domain::Timestamp;
use convoy_domain::history::{HistoryEntry, HistoryKey, next_time};
use convoy_domain::render_ref::RenderRef;
use convoy_domain::store_key::{self, StoreKey};
use convoy_testkit_strategies::{any_bytes, release_id, render_ref, timestamp, unicode};
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #[test]
    fn the_byte_order_of_keys_is_the_order_of_times(a in timestamp(), b in timestamp(), r in render_ref(), s in render_ref()) {
        let (x, y) = (HistoryKey::new(a, r).unwrap(), HistoryKey::new(b, s).unwrap());
        prop_assert_eq!(x.to_string().cmp(&y.to_string()), (a, r).cmp(&(b, s)));
        prop_assert_eq!(x.cmp(&y), (a, r).cmp(&(b, s)));
    }

    #[test]
    fn a_history_is_written_in_order_whatever_the_clock_does(clock in vec(timestamp(), 1..20)) {
        let mut newest: Option<Timestamp> = None;
        let mut keys: Vec<String> = Vec::new();
        for now in clock {
            let time = next_time(now, newest).unwrap();
            prop_assert!(time >= now);
            prop_assert!(newest.is_none_or(|newest| time > newest));
            newest = Some(time);
            keys.push(HistoryKey::new(time, RenderRef::from_digest([0; 32])).unwrap().to_string());
        }
        prop_assert!(keys.is_sorted_by(|a, b| a < b), "{:?}", keys);
    }

    #[test]
    fn keys_of_any_time_read_back(release in release_id(), time in timestamp(), render in render_ref()) {
        let key = HistoryKey::new(time, render).unwrap();
        prop_assert_eq!(key.to_string().parse(), Ok(key.clone()));
        let stored = store_key::history(&release, &key);
        prop_assert!(stored.starts_with(&store_key::prefix(&release)));
        prop_assert_eq!(store_key::parse(&release, &stored), StoreKey::History(key));
        let stored = store_key::blob(&release, render);
        prop_assert_eq!(store_key::parse(&release, &stored), StoreKey::Blob(render));
    }

    #[test]
    fn a_key_of_another_release_is_unknown(a in release_id(), b in release_id(), render in render_ref()) {
        prop_assume!(a != b);
        prop_assert_eq!(store_key::parse(&a, &store_key::blob(&b, render)), StoreKey::Unknown);
    }

    #[test]
    fn entries_of_any_summary_read_back_and_are_short(time in timestamp(), render in render_ref(), summary in vec(unicode(), 0..60)) {
        let key = HistoryKey::new(time, render).unwrap();
        let entry = HistoryEntry::new(key.clone(), &summary.concat());
        prop_assert!(entry.summary.chars().count() <= 200 && !entry.summary.contains('\n'));
        prop_assert_eq!(HistoryEntry::from_bytes(key, &entry.to_bytes()), Ok(entry));
    }

    #[test]
    fn any_text_is_a_key_or_refused(text in ".{0,120}") {
        any_bytes::history_key(text.as_bytes());
    }

    #[test]
    fn nearly_keys_are_keys_or_refused(
        time in timestamp(), render in render_ref(), at in 0_usize..98, to in "[0-9a-fTZ:.-]",
    ) {
        let mut text = HistoryKey::new(time, render).unwrap().to_string();
        text.replace_range(at..=at, &to);
        any_bytes::history_key(text.as_bytes());
    }

    #[test]
    fn any_bytes_are_an_entry_or_corrupt(bytes in vec(any::<u8>(), 0..200)) {
        any_bytes::history_entry(&bytes);
    }
}
