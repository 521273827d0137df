//! Kinds that run to an end.

use alloc::format;

use super::{Health, condition, count, flag};
use crate::object::Object;

/// A Job is healthy when it has completed. `FailureTarget` comes before `Failed`, while pods are still being stopped.
pub(super) fn job(object: &Object) -> Health {
    for kind in ["Failed", "FailureTarget"] {
        if let Some(failed) = condition(object, kind)
            && failed.is("True")
        {
            return Health::degraded(&failed.text());
        }
    }
    if condition(object, "Complete").is_some_and(|complete| complete.is("True")) {
        return Health::healthy();
    }
    if flag(object, &["spec", "suspend"]) {
        return Health::suspended("the Job is suspended");
    }
    let (active, succeeded, failed) = (
        count(object, "active"),
        count(object, "succeeded"),
        count(object, "failed"),
    );
    Health::progressing(&format!(
        "{active} pods run, {succeeded} have succeeded, {failed} have failed"
    ))
}

/// Whether the last Job of a schedule succeeded is no property of the schedule.
pub(super) fn cron_job(object: &Object) -> Health {
    if flag(object, &["spec", "suspend"]) {
        Health::suspended("the CronJob is suspended")
    } else {
        Health::healthy()
    }
}
