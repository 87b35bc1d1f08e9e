//! Attribute and derive macros of Steadfast.
