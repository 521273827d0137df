//! convoy-testkit-contract
