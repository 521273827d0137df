//! convoy-testkit-controlplane
