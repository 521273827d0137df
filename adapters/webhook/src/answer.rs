//! What senders are answered.

use http::StatusCode;
use http::header::{CONTENT_LENGTH, RETRY_AFTER};
use http_body_util::Empty;
use hyper::body::Bytes;

pub(crate) type Response = http::Response<Empty<Bytes>>;

/// How a delivery ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The source will be asked.
    Accepted,
    /// Nothing is known of what it names, or it proves nothing.
    Unknown,
    /// The body is longer than allowed.
    TooLarge,
    /// There are more deliveries than are looked at.
    TooMany,
    /// The body did not come in time.
    TooSlow,
    /// The control plane does not answer: the sender may try again.
    Unavailable,
}

impl Answer {
    pub(crate) fn response(self) -> Response {
        let status = match self {
            Self::Accepted => StatusCode::ACCEPTED,
            Self::Unknown => StatusCode::NOT_FOUND,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        };
        let mut response = Response::new(Empty::new());
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_LENGTH, 0.into());
        if matches!(self, Self::TooMany | Self::Unavailable) {
            headers.insert(RETRY_AFTER, 5.into());
        }
        response
    }
}
