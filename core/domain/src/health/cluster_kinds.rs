//! Kinds that extend or divide the cluster.

use super::{Health, condition, phase};
use crate::object::Object;

pub(super) fn api_service(object: &Object) -> Health {
    match condition(object, "Available") {
        Some(available) if available.is("True") => Health::healthy(),
        Some(available) => Health::progressing(&available.text()),
        None => Health::progressing("its availability is not known yet"),
    }
}

/// A CRD is healthy when it is established: its objects can be written.
pub(super) fn definition(object: &Object) -> Health {
    if let Some(names) = condition(object, "NamesAccepted")
        && names.is("False")
    {
        return Health::degraded(&names.text());
    }
    match condition(object, "Established") {
        Some(established) if established.is("True") => Health::healthy(),
        // `Installing` is said between the acceptance of the names and the first answer under them.
        Some(established) if established.is("False") && established.reason() != "Installing" => {
            Health::degraded(&established.text())
        }
        Some(established) => Health::progressing(&established.text()),
        None => Health::progressing("the definition is not established yet"),
    }
}

pub(super) fn namespace(object: &Object) -> Health {
    match phase(object).as_str() {
        "Terminating" => Health::progressing("the namespace is being deleted"),
        _ => Health::healthy(),
    }
}
