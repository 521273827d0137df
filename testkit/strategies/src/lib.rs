//! convoy-testkit-strategies
