#![no_std]

pub fn now() -> u64 {
    jiff::Timestamp::now()
}
