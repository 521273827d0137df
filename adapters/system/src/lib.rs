//! convoy-system
