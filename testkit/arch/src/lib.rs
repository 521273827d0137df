//! convoy-testkit-arch
