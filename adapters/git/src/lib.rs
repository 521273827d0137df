//! convoy-git
