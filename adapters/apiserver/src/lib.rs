//! convoy-apiserver
