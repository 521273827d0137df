use convoy_value::{Limits, yaml};

use super::*;

use HealthState::{Degraded, Healthy, Progressing, Suspended};

/// Assesses an object of a kind, written as YAML without its head and name.
fn check(kind: &str, body: &str, expect: (HealthState, &str)) {
    let (api_version, kind) = kind.rsplit_once('/').unwrap();
    let text = format!("{{apiVersion: {api_version}, kind: {kind}, {body}}}");
    let object = Object::new(yaml::helm::parse(&text, &Limits::default()).unwrap()).unwrap();
    let health = assess(&object);
    assert_eq!((health.state, health.message.as_str()), expect, "{text}");
}

const OK: (HealthState, &str) = (Healthy, "");
const UNSEEN: (HealthState, &str) = (Progressing, "its controller has not looked at it yet");

#[test]
fn what_is_said_of_an_older_generation_does_not_count() {
    let old = (Progressing, "generation 2 is not observed yet");
    for kind in ["apps/v1/Deployment", "example.com/v1/Widget", "v1/Service"] {
        check(
            kind,
            "metadata: {generation: 2}, status: {observedGeneration: 1, conditions: [{type: Ready, status: 'True'}]}",
            old,
        );
    }
}

#[test]
fn what_is_being_deleted_is_on_its_way() {
    check(
        "v1/ConfigMap",
        "metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}",
        (Progressing, "it is being deleted"),
    );
}

#[test]
fn a_deployment_is_healthy_when_every_replica_is_new_and_available() {
    let kind = "apps/v1/Deployment";
    let with = |spec: &str, status: &str| {
        format!("metadata: {{generation: 1}}, spec: {{{spec}}}, status: {{observedGeneration: 1, {status}}}")
    };
    check(kind, "metadata: {generation: 1}", UNSEEN);
    let done = "replicas: 3, updatedReplicas: 3, availableReplicas: 3, readyReplicas: 3, conditions: [{type: Available, status: 'True'}]";
    check(kind, &with("replicas: 3", done), OK);
    check(
        kind,
        &with("replicas: 4", done),
        (Progressing, "3 of 4 replicas are updated"),
    );
    check(kind, &with("replicas: 0", ""), OK);
    check(kind, &with("", ""), (Progressing, "0 of 1 replicas are updated"));
    check(
        kind,
        &with(
            "replicas: 2",
            "replicas: 3, updatedReplicas: 2, availableReplicas: 3, readyReplicas: 3",
        ),
        (Progressing, "1 old replicas are still to go"),
    );
    check(
        kind,
        &with(
            "replicas: 2",
            "replicas: 2, updatedReplicas: 2, availableReplicas: 1, readyReplicas: 2",
        ),
        (Progressing, "1 of 2 replicas are available"),
    );
    check(
        kind,
        &with(
            "replicas: 1",
            "replicas: 1, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1, conditions: [{type: Available, status: 'False', reason: MinimumReplicasUnavailable}]",
        ),
        (Progressing, "Available is False: MinimumReplicasUnavailable"),
    );
    check(
        kind,
        &with(
            "replicas: 2",
            "replicas: 0, conditions: [{type: ReplicaFailure, status: 'True', reason: FailedCreate, message: exceeded quota}]",
        ),
        (Progressing, "ReplicaFailure is True: FailedCreate: exceeded quota"),
    );
    check(
        kind,
        &with(
            "replicas: 2",
            "replicas: 2, updatedReplicas: 1, conditions: [{type: Progressing, status: 'False', reason: ProgressDeadlineExceeded, message: too slow}]",
        ),
        (Degraded, "Progressing is False: ProgressDeadlineExceeded: too slow"),
    );
    check(kind, &with("paused: true", ""), (Suspended, "the Deployment is paused"));
}

#[test]
fn a_stateful_set_is_healthy_when_its_revision_is_everywhere() {
    let kind = "apps/v1/StatefulSet";
    let with = |spec: &str, status: &str| {
        format!(
            "metadata: {{generation: 1}}, spec: {{replicas: 3, {spec}}}, status: {{observedGeneration: 1, {status}}}"
        )
    };
    let all = "replicas: 3, readyReplicas: 3, updatedReplicas: 3, currentRevision: a, updateRevision: a";
    let some = "replicas: 3, readyReplicas: 3, updatedReplicas: 1, currentRevision: a, updateRevision: b";
    check(kind, "metadata: {generation: 1}", UNSEEN);
    check(kind, &with("", all), OK);
    check(
        kind,
        &with("", "replicas: 1"),
        (Progressing, "1 of 3 replicas are there"),
    );
    check(
        kind,
        &with("", "replicas: 3, readyReplicas: 2"),
        (Progressing, "2 of 3 replicas are ready"),
    );
    check(
        kind,
        &with("", "replicas: 5, readyReplicas: 5"),
        (Progressing, "2 replicas are still to go"),
    );
    check(kind, &with("", some), (Progressing, "1 of 3 replicas are updated"));
    check(kind, &with("updateStrategy: {type: OnDelete}", some), OK);
    let partition = |n: i64| format!("updateStrategy: {{type: RollingUpdate, rollingUpdate: {{partition: {n}}}}}");
    check(kind, &with(&partition(2), some), OK);
    check(kind, &with(&partition(9), some), OK);
    check(
        kind,
        &with(&partition(1), some),
        (Progressing, "1 of 2 replicas are updated"),
    );
    check(
        kind,
        &with(&partition(0), some),
        (Progressing, "1 of 3 replicas are updated"),
    );
}

#[test]
fn a_daemon_set_is_healthy_when_every_node_has_it() {
    let kind = "apps/v1/DaemonSet";
    let with = |strategy: &str, updated: i64, ready: i64| {
        format!(
            "metadata: {{generation: 1}}, spec: {{updateStrategy: {{type: {strategy}}}}}, status: {{observedGeneration: 1, desiredNumberScheduled: 2, currentNumberScheduled: 2, updatedNumberScheduled: {updated}, numberAvailable: 2, numberReady: {ready}}}"
        )
    };
    check(kind, "metadata: {generation: 1}", UNSEEN);
    check(
        kind,
        "metadata: {generation: 1}, status: {observedGeneration: 1}",
        UNSEEN,
    );
    check(kind, &with("RollingUpdate", 2, 2), OK);
    check(
        kind,
        &with("RollingUpdate", 1, 2),
        (Progressing, "1 of 2 replicas are updated"),
    );
    check(kind, &with("OnDelete", 1, 2), OK);
    check(
        kind,
        &with("OnDelete", 1, 0),
        (Progressing, "0 of 2 replicas are ready"),
    );
    check(
        kind,
        "metadata: {generation: 1}, status: {observedGeneration: 1, desiredNumberScheduled: 0}",
        OK,
    );
}

#[test]
fn replica_sets_are_healthy_when_the_number_is_right() {
    for kind in ["apps/v1/ReplicaSet", "v1/ReplicationController"] {
        let with = |status: &str| {
            format!("metadata: {{generation: 1}}, spec: {{replicas: 2}}, status: {{observedGeneration: 1, {status}}}")
        };
        check(kind, &with("replicas: 2, readyReplicas: 2, availableReplicas: 2"), OK);
        check(
            kind,
            &with("replicas: 2, readyReplicas: 1"),
            (Progressing, "1 of 2 replicas are ready"),
        );
        check(
            kind,
            &with("replicas: 3, readyReplicas: 2, availableReplicas: 2"),
            (Progressing, "1 replicas are still to go"),
        );
        check(
            kind,
            &with("conditions: [{type: ReplicaFailure, status: 'True', reason: FailedCreate}]"),
            (Progressing, "ReplicaFailure is True: FailedCreate"),
        );
    }
}

#[test]
fn a_pod_is_healthy_when_it_is_ready_or_done() {
    let kind = "v1/Pod";
    check(kind, "status: {phase: Succeeded}", OK);
    check(
        kind,
        "status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}",
        OK,
    );
    check(
        kind,
        "status: {phase: Running, conditions: [{type: Ready, status: 'False', reason: PodCompleted}]}",
        OK,
    );
    check(
        kind,
        "status: {phase: Running, conditions: [{type: Ready, status: 'False', reason: ContainersNotReady}]}",
        (Progressing, "Ready is False: ContainersNotReady"),
    );
    check(
        kind,
        "status: {phase: Running, conditions: [{type: Ready, status: 'False'}], containerStatuses: [{name: ok, state: {running: {}}}, {name: web, state: {waiting: {reason: CrashLoopBackOff, message: back-off 10s}}}]}",
        (Degraded, "container `web` waits: CrashLoopBackOff: back-off 10s"),
    );
    check(
        kind,
        "status: {phase: Pending, initContainerStatuses: [{name: init, state: {waiting: {reason: ImagePullBackOff}}}]}",
        (Degraded, "container `init` waits: ImagePullBackOff"),
    );
    check(
        kind,
        "status: {phase: Pending, containerStatuses: [{name: web, state: {waiting: {reason: ContainerCreating}}}]}",
        (Progressing, "container `web` waits: ContainerCreating"),
    );
    check(
        kind,
        "status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: no nodes}]}",
        (Progressing, "PodScheduled is False: Unschedulable: no nodes"),
    );
    check(
        kind,
        "status: {phase: Failed, reason: Evicted, message: low on memory}",
        (Degraded, "the pod has failed: Evicted: low on memory"),
    );
    check(
        kind,
        "status: {phase: Unknown}",
        (Progressing, "the node does not report the pod's state"),
    );
    check(kind, "metadata: {}", (Progressing, "the pod has no phase yet"));
}

#[test]
fn a_job_is_healthy_when_it_has_completed() {
    let kind = "batch/v1/Job";
    check(
        kind,
        "status: {conditions: [{type: SuccessCriteriaMet, status: 'True'}, {type: Complete, status: 'True'}]}",
        OK,
    );
    check(
        kind,
        "status: {active: 1, succeeded: 2}",
        (Progressing, "1 pods run, 2 have succeeded, 0 have failed"),
    );
    check(
        kind,
        "status: {conditions: [{type: SuccessCriteriaMet, status: 'True'}]}",
        (Progressing, "0 pods run, 0 have succeeded, 0 have failed"),
    );
    for failed in ["Failed", "FailureTarget"] {
        check(
            kind,
            &format!("status: {{conditions: [{{type: {failed}, status: 'True', reason: BackoffLimitExceeded}}]}}"),
            (Degraded, &format!("{failed} is True: BackoffLimitExceeded")),
        );
    }
    check(kind, "spec: {suspend: true}", (Suspended, "the Job is suspended"));
    check(
        kind,
        "spec: {suspend: true}, status: {conditions: [{type: Complete, status: 'True'}]}",
        OK,
    );
    check("batch/v1/CronJob", "spec: {schedule: '* * * * *'}", OK);
    check(
        "batch/v1/CronJob",
        "spec: {suspend: true}",
        (Suspended, "the CronJob is suspended"),
    );
}

#[test]
fn volumes_are_healthy_when_they_are_bound() {
    let claim = "v1/PersistentVolumeClaim";
    check(claim, "status: {phase: Bound}", OK);
    check(
        claim,
        "status: {phase: Pending}",
        (Progressing, "the claim is not bound yet"),
    );
    check(claim, "metadata: {}", (Progressing, "the claim is not bound yet"));
    check(
        claim,
        "status: {phase: Lost}",
        (Degraded, "the claim has lost its volume"),
    );
    let volume = "v1/PersistentVolume";
    for phase in ["Available", "Bound", "Released"] {
        check(volume, &format!("status: {{phase: {phase}}}"), OK);
    }
    check(volume, "metadata: {}", (Progressing, "the volume is not available yet"));
    check(
        volume,
        "status: {phase: Failed, message: denied}",
        (Degraded, "the volume could not be reclaimed: denied"),
    );
}

#[test]
fn addresses_are_waited_for() {
    let address = "status: {loadBalancer: {ingress: [{ip: 10.0.0.1}]}}";
    check("v1/Service", "spec: {type: ClusterIP}", OK);
    check("v1/Service", &format!("spec: {{type: LoadBalancer}}, {address}"), OK);
    for status in [
        "status: {}",
        "status: {loadBalancer: {}}",
        "status: {loadBalancer: {ingress: []}}",
    ] {
        check(
            "v1/Service",
            &format!("spec: {{type: LoadBalancer}}, {status}"),
            (Progressing, "the load balancer has no address yet"),
        );
        check(
            "networking.k8s.io/v1/Ingress",
            status,
            (Progressing, "the Ingress has no address yet"),
        );
    }
    check("networking.k8s.io/v1/Ingress", address, OK);
    check("serving.knative.dev/v1/Service", "spec: {type: LoadBalancer}", OK);
}

#[test]
fn autoscalers_and_budgets() {
    let kind = "autoscaling/v2/HorizontalPodAutoscaler";
    let with = |able: &str, active: &str, reason: &str| {
        format!(
            "status: {{conditions: [{{type: AbleToScale, status: '{able}'}}, {{type: ScalingActive, status: '{active}', reason: {reason}}}]}}"
        )
    };
    check(kind, "metadata: {}", UNSEEN);
    check(kind, &with("True", "True", "ValidMetricFound"), OK);
    check(kind, &with("True", "False", "ScalingDisabled"), OK);
    check(
        kind,
        &with("True", "False", "FailedGetResourceMetric"),
        (Progressing, "ScalingActive is False: FailedGetResourceMetric"),
    );
    check(
        kind,
        &with("True", "False", "InvalidSelector"),
        (Degraded, "ScalingActive is False: InvalidSelector"),
    );
    check(kind, &with("False", "True", "x"), (Progressing, "AbleToScale is False"));
    check("autoscaling/v1/HorizontalPodAutoscaler", "metadata: {}", OK);
    let budget = "policy/v1/PodDisruptionBudget";
    check(budget, "status: {currentHealthy: 2, desiredHealthy: 2}", OK);
    check(
        budget,
        "status: {currentHealthy: 1, desiredHealthy: 2}",
        (Progressing, "1 of 2 pods are healthy"),
    );
}

#[test]
fn kinds_of_the_cluster() {
    let service = "apiregistration.k8s.io/v1/APIService";
    check(service, "status: {conditions: [{type: Available, status: 'True'}]}", OK);
    check(
        service,
        "status: {conditions: [{type: Available, status: 'False', reason: MissingEndpoints}]}",
        (Progressing, "Available is False: MissingEndpoints"),
    );
    check(
        service,
        "metadata: {}",
        (Progressing, "its availability is not known yet"),
    );
    let crd = "apiextensions.k8s.io/v1/CustomResourceDefinition";
    let with = |names: &str, established: &str, reason: &str| {
        format!(
            "status: {{conditions: [{{type: NamesAccepted, status: '{names}', reason: X}}, {{type: Established, status: '{established}', reason: {reason}}}]}}"
        )
    };
    check(crd, &with("True", "True", "InitialNamesAccepted"), OK);
    check(
        crd,
        &with("True", "False", "Installing"),
        (Progressing, "Established is False: Installing"),
    );
    check(
        crd,
        &with("True", "False", "NotAccepted"),
        (Degraded, "Established is False: NotAccepted"),
    );
    check(
        crd,
        &with("False", "False", "Installing"),
        (Degraded, "NamesAccepted is False: X"),
    );
    check(
        crd,
        "metadata: {}",
        (Progressing, "the definition is not established yet"),
    );
    check("v1/Namespace", "status: {phase: Active}", OK);
    check(
        "v1/Namespace",
        "status: {phase: Terminating}",
        (Progressing, "the namespace is being deleted"),
    );
}

#[test]
fn other_kinds_speak_through_conditions() {
    let kind = "example.com/v1/Widget";
    let with = |conditions: &str| format!("metadata: {{generation: 3}}, status: {{conditions: [{conditions}]}}");
    check(kind, "metadata: {generation: 3}", OK);
    check("v1/ConfigMap", "data: {a: b}", OK);
    check(kind, &with("{type: Ready, status: 'True'}"), OK);
    check(kind, &with("{type: Available, status: 'True'}"), OK);
    check(kind, &with("{type: Synced, status: 'False'}"), OK);
    check(
        kind,
        &with("{type: Ready, status: 'False', reason: Waiting, message: for a friend}"),
        (Progressing, "Ready is False: Waiting: for a friend"),
    );
    check(
        kind,
        &with("{type: Ready, status: Unknown}"),
        (Progressing, "Ready is Unknown"),
    );
    check(
        kind,
        &with("{type: Ready, status: 'True'}, {type: Available, status: 'False'}"),
        (Progressing, "Available is False"),
    );
    check(
        kind,
        &with("{type: Ready, status: 'True', observedGeneration: 2}"),
        (Progressing, "Ready speaks of an older generation"),
    );
    check(
        kind,
        &with("{type: Ready, status: 'True'}, {type: Reconciling, status: 'True', reason: Busy}"),
        (Progressing, "Reconciling is True: Busy"),
    );
    check(
        kind,
        &with("{type: Reconciling, status: 'True'}, {type: Stalled, status: 'True', reason: Broken}"),
        (Degraded, "Stalled is True: Broken"),
    );
    check(kind, &with("{type: Stalled, status: 'False'}, 7, {}"), OK);
    check(kind, "status: {conditions: 7, observedGeneration: x}", OK);
    check(kind, "status: 7", OK);
}

#[test]
fn the_worst_state_is_the_one_of_a_release() {
    let order = [
        HealthState::Healthy,
        HealthState::Suspended,
        HealthState::Progressing,
        HealthState::Unknown,
        HealthState::Missing,
        HealthState::Degraded,
    ];
    assert_eq!(worst([]), HealthState::Healthy);
    for (index, state) in order.iter().enumerate() {
        assert_eq!(worst(order[..=index].iter().copied()), *state);
        assert_eq!(worst(order[..=index].iter().rev().copied()), *state);
        assert_eq!(state.is_settled(), index < 2);
    }
    assert_eq!(Health::missing().state, HealthState::Missing);
}
