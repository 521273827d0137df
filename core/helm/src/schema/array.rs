//! Schemas of lists.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use convoy_value::Value;

use super::document::Draft;
use super::failure::{Failure, count};
use super::validate::{At, Seen, Validator, equal, limit};

impl<'s> Validator<'_, 's> {
    pub(super) fn array(&mut self, at: At<'_, 's>, items: &[Value], seen: &mut Seen, failures: &mut Vec<Failure>) {
        if let Some(limit) = limit(at.schema, "minItems").filter(|limit| items.len() < *limit) {
            failures.push(self.counted("minItems", items.len(), limit));
        }
        if let Some(limit) = limit(at.schema, "maxItems").filter(|limit| items.len() > *limit) {
            failures.push(self.counted("maxItems", items.len(), limit));
        }
        if at.schema.get("uniqueItems").and_then(Value::as_bool) == Some(true)
            && let Some((first, second)) = duplicates(items)
        {
            failures.push(self.fail(format!("items at {} and {} are equal", count(first), count(second))));
        }
        self.elements(at, items, seen, failures);
        if self.document.draft >= Draft::Six {
            self.contains(at, items, seen, failures);
        }
    }

    /// The schemas of the first elements, then the one of the others.
    fn elements(&mut self, at: At<'_, 's>, items: &[Value], seen: &mut Seen, failures: &mut Vec<Failure>) {
        let newest = self.document.draft >= Draft::Of2020;
        let listed = at.schema.get(if newest { "prefixItems" } else { "items" });
        let first = listed.and_then(Value::as_array).unwrap_or_default();
        let others = match (newest, listed) {
            (true, _) => at.schema.get("items"),
            (false, Some(Value::Array(_))) => at.schema.get("additionalItems"),
            (false, listed) => listed,
        };
        for (index, (schema, item)) in first.iter().zip(items).enumerate() {
            failures.extend(self.apply_inside(schema, at.base, item, &index.to_string()).err());
            seen.elements.insert(index);
        }
        let Some(schema) = others else { return };
        let rest = items.len().saturating_sub(first.len());
        if !newest && !first.is_empty() && *schema == Value::Bool(false) {
            if rest > 0 {
                failures.push(self.fail(format!("last {} additionalItem(s) not allowed", count(rest))));
            }
            return;
        }
        // Helm's library counts from the first of the others.
        for (index, item) in items.iter().skip(first.len()).enumerate() {
            failures.extend(self.apply_inside(schema, at.base, item, &index.to_string()).err());
            seen.elements.insert(first.len() + index);
        }
    }

    fn contains(&mut self, at: At<'_, 's>, items: &[Value], seen: &mut Seen, failures: &mut Vec<Failure>) {
        let Some(schema) = at.schema.get("contains") else {
            return;
        };
        let (mut causes, mut matched) = (Vec::new(), Vec::new());
        for (index, item) in items.iter().enumerate() {
            match self.apply_inside(schema, at.base, item, &index.to_string()) {
                Ok(()) => {
                    matched.push(index);
                    if self.document.draft >= Draft::Of2020 {
                        seen.elements.insert(index);
                    }
                }
                Err(failure) => causes.push(failure),
            }
        }
        let counted = self.document.draft >= Draft::Of2019;
        let least = limit(at.schema, "minContains").filter(|_| counted);
        let places = matched
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<String>>()
            .join(" ");
        let (got, text) = (count(matched.len()), "items required to match contains schema, but");
        match least {
            None if matched.is_empty() => {
                failures.push(Failure::with_causes(
                    &self.place,
                    "no items match contains schema",
                    causes,
                ));
            }
            Some(least) if matched.is_empty() && least > 0 => {
                let text = format!("min {} {text} none matched", count(least));
                failures.push(Failure::with_causes(&self.place, text, causes));
            }
            Some(least) if matched.len() < least => {
                let text = format!("min {} {text} matched {got} items at {places}", count(least));
                failures.push(Failure::with_causes(&self.place, text, causes));
            }
            None | Some(_) => {}
        }
        if let Some(most) = limit(at.schema, "maxContains").filter(|most| counted && matched.len() > *most) {
            failures.push(self.fail(format!("max {} {text} matched {got} items at {places}", count(most))));
        }
    }
}

/// The first element that some earlier one is equal to, after that one.
fn duplicates(items: &[Value]) -> Option<(usize, usize)> {
    items.iter().enumerate().find_map(|(second, item)| {
        items[..second]
            .iter()
            .position(|first| equal(first, item))
            .map(|first| (first, second))
    })
}
