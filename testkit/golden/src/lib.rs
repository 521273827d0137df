//! convoy-testkit-golden
