//! convoy-blob
