//! Not without the standard library.
