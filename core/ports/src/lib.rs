//! convoy-ports
