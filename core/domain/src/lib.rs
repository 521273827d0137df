//! convoy-domain
