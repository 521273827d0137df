//! convoy-testkit-e2e
