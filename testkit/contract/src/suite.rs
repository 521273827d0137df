//! Running cases under their names.

use std::any::Any;

/// Runs one case on a task of its own, so that its panic can be told with its name.
///
/// Call it within a tokio runtime.
///
/// # Panics
/// When the case panics; the message starts with `name`.
pub async fn case<F>(name: &str, body: F)
where
    F: Future<Output = ()> + Send + 'static,
{
    if let Err(failure) = tokio::spawn(body).await {
        let why = match failure.try_into_panic() {
            Ok(payload) => text_of(payload.as_ref()).to_owned(),
            Err(cancelled) => cancelled.to_string(),
        };
        panic!("case `{name}` failed: {why}");
    }
}

fn text_of(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("it panicked without a message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_failure_carries_the_name_of_its_case_and_its_message() {
        let failed = tokio::spawn(case("one_is_two", async { assert_eq!(1, 2, "numbers differ") })).await;
        let payload = failed.unwrap_err().into_panic();
        let text = text_of(payload.as_ref());
        assert!(text.starts_with("case `one_is_two` failed: "), "{text}");
        assert!(text.contains("numbers differ"), "{text}");
    }

    #[tokio::test]
    async fn a_case_that_holds_is_silent() {
        case("holds", async {}).await;
    }
}
