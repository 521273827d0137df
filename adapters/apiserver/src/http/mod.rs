//! The HTTP side: reads requests, writes answers, decides nothing about objects.

mod answer;
mod body;
mod discovery;
mod dispatch;
mod negotiate;
mod openapi;
mod printers;
mod protobuf;
mod query;
mod route;
mod table;
mod watch;

pub(crate) use dispatch::{Shared, handle};
