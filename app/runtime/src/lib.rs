//! convoy-runtime
