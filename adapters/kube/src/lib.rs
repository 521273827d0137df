//! convoy-kube
