// The root of a core crate without `no_std`, or with it under a condition only:
#![cfg_attr(not(test), no_std)]

use std::time::Duration; //~ std
use core::future::Future; //~ Future
use async_trait::async_trait; //~ async_trait

use hashbrown::HashMap as Map; //~ HashMap

extern crate std; //~ std

static mut COUNT: u64 = 0; //~ static mut
static CALLS: AtomicU64 = AtomicU64::new(0); //~ static
pub(crate) static TABLE: spin::Once<&'static str> = spin::Once::new(); //~ static

thread_local! { static CACHE: u8 = 0; } //~ thread_local!

fn clock() {
    let _ = Instant::now(); //~ Instant
    let _ = SystemTime::UNIX_EPOCH; //~ SystemTime
    let _ = jiff::Timestamp::now(); //~ Timestamp::now
    let _ = jiff::Zoned::now(); //~ Zoned::now
    let _ = jiff::tz::TimeZone::system(); //~ TimeZone::system
    let _ = jiff::tz::TimeZone::get("Europe/Vienna"); //~ TimeZone::get
}

fn randomness() {
    getrandom::fill(&mut []); //~ getrandom
    let _ = rand::random::<u8>(); //~ rand
    let _ = uuid::Uuid::new_v4(); //~ new_v4
}

fn order(map: hashbrown::HashMap<u8, u8>, set: hashbrown::HashSet<u8>) { //~ HashMap HashSet
    let _ = RandomState::new(); //~ RandomState
}

fn environment() {
    let _ = env!("HOME"); //~ env!
    let _ = option_env!("HOME"); //~ option_env!
}

fn printing() {
    println!("a"); //~ println!
    print!("a"); //~ print!
    eprintln!("a"); //~ eprintln!
    eprint!("a"); //~ eprint!
    dbg!(1); //~ dbg!
}

async fn waiting() { //~ async
    other().await; //~ await
}

fn tricks(c: char) {
    let quote = '"'; unsafe { nothing() } //~ unsafe
    let raw = r#" " "#; unsafe { nothing() } //~ unsafe
    /* a /* nested */ comment */ unsafe { nothing() } //~ unsafe
}

#[cfg(test)]
fn only_tests() {}
fn after_the_test_item() { unsafe { nothing() } } //~ unsafe

mod tests; //~ mod tests;
