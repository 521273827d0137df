//! convoy-testkit-fakes
