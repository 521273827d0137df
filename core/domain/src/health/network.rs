//! Kinds that have an address.

use convoy_value::Value;

use super::Health;
use crate::object::Object;

/// Only a load balancer has to be waited for.
pub(super) fn service(object: &Object) -> Health {
    if object.text(&["spec", "type"]) != "LoadBalancer" || has_address(object) {
        Health::healthy()
    } else {
        Health::progressing("the load balancer has no address yet")
    }
}

pub(super) fn ingress(object: &Object) -> Health {
    if has_address(object) {
        Health::healthy()
    } else {
        Health::progressing("the Ingress has no address yet")
    }
}

fn has_address(object: &Object) -> bool {
    object
        .at(&["status", "loadBalancer", "ingress"])
        .and_then(Value::as_array)
        .is_some_and(|addresses| !addresses.is_empty())
}
