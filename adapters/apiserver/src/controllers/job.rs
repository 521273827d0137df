//! Jobs: pods that complete, or fail on request.

use serde_json::{Value, json};

use super::context::{Context, condition, pod_of};
use super::replicas::MAX_PODS;
use crate::clock::now_text;
use crate::store::Key;

/// Brings the pods and the status of a Job up to date.
pub(super) fn reconcile(context: &mut Context<'_>, key: &Key, job: &Value) {
    let (spec, before) = (&job["spec"], &job["status"]);
    let ended = before["conditions"].as_array().into_iter().flatten().any(|condition| {
        (condition["type"] == "Complete" || condition["type"] == "Failed") && condition["status"] == "True"
    });
    if ended {
        return;
    }
    if spec["suspend"] == json!(true) {
        let suspended = condition(
            &before["conditions"],
            "Suspended",
            true,
            "JobSuspended",
            "Job suspended",
            false,
        );
        context.set_status(key, job, json!({"conditions": [suspended]}));
        return;
    }
    let wanted = spec["completions"].as_i64().unwrap_or(1).clamp(0, MAX_PODS);
    let parallel = spec["parallelism"].as_i64().unwrap_or(1).clamp(0, MAX_PODS);
    let pods = context.owned(job, "pods");
    let phase =
        |name: &str| i64::try_from(pods.iter().filter(|(_, pod)| pod["status"]["phase"] == name).count()).unwrap_or(0);
    let (succeeded, failed) = (phase("Succeeded"), phase("Failed"));
    let active = i64::try_from(pods.len()).unwrap_or(0) - succeeded - failed;
    let crashing = pods
        .iter()
        .find(|(_, pod)| pod["status"]["containerStatuses"][0]["state"]["waiting"]["reason"] == "CrashLoopBackOff");
    let mut started = active;
    // One failure is the end: retrying what fails on request would only repeat it.
    if failed == 0 && crashing.is_none() {
        while started < parallel && succeeded + started < wanted {
            context.create("pods", &key.namespace, pod_of(job, None, &[]));
            started += 1;
        }
    }
    let start = before["startTime"].as_str().map_or_else(now_text, str::to_owned);
    let mut status = json!({"startTime": start, "uncountedTerminatedPods": {}});
    let mut set = |field: &str, count: i64| {
        if count > 0 {
            status[field] = json!(count);
        }
    };
    set("succeeded", succeeded);
    set("failed", failed);
    let conditions = &before["conditions"];
    if failed > 0 || crashing.is_some() {
        let message = pods.iter().find_map(|(_, pod)| super::failure(pod)).unwrap_or_default();
        let message = format!("Job has reached the specified backoff limit: {message}");
        let failure = |kind: &str| condition(conditions, kind, true, "BackoffLimitExceeded", &message, false);
        status["conditions"] = json!([failure("FailureTarget"), failure("Failed")]);
        if failed == 0 {
            status["failed"] = json!(1);
        }
    } else if succeeded >= wanted {
        let message = "Reached expected number of succeeded pods";
        let done = |kind: &str| condition(conditions, kind, true, "CompletionsReached", message, false);
        status["conditions"] = json!([done("SuccessCriteriaMet"), done("Complete")]);
        status["completionTime"] = json!(now_text());
    } else {
        set("active", started);
        status["ready"] = json!(0);
    }
    context.set_status(key, job, status);
}
