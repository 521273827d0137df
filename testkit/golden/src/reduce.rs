//! A failing text made small.

/// Removes pieces of `text`, large ones first, as long as `fails` stays true.
pub fn reduce(text: &str, mut fails: impl FnMut(&str) -> bool) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let mut size = chars.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        let mut removed = false;
        while at < chars.len() {
            let end = (at + size).min(chars.len());
            let shorter: String = chars[..at].iter().chain(&chars[end..]).collect();
            if fails(&shorter) {
                chars = shorter.chars().collect();
                removed = true;
            } else {
                at += size;
            }
        }
        if !removed || size > chars.len() {
            size /= 2;
        }
    }
    chars.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_still_fails_and_nothing_more_can_go() {
        assert_eq!(
            reduce("some text with {a: b} in it", |text| text.contains('{')
                && text.contains('}')),
            "{}"
        );
        assert_eq!(reduce("abc", |_| false), "abc");
    }
}
