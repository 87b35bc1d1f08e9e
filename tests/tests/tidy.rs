//! House rules of this repository, held by tests.
//!
//! Each rule is a function over paths and texts that returns its offences; one test runs it over the tree, others
//! feed it offending samples and see them refused. What a rule bans is spelled in pieces where it would otherwise
//! offend itself.

#[path = "tidy/dependencies.rs"]
mod dependencies;
#[path = "tidy/edges.rs"]
mod edges;
#[path = "tidy/examples.rs"]
mod examples;
#[path = "tidy/imports.rs"]
mod imports;
#[path = "tidy/manifest.rs"]
mod manifest;
#[path = "tidy/names.rs"]
mod names;
#[path = "tidy/offence.rs"]
mod offence;
#[path = "tidy/one_place.rs"]
mod one_place;
#[path = "tidy/purity.rs"]
mod purity;
#[path = "tidy/release.rs"]
mod release;
#[path = "tidy/sizes.rs"]
mod sizes;
#[path = "tidy/source.rs"]
mod source;
#[path = "tidy/tokens.rs"]
mod tokens;
#[path = "tidy/words.rs"]
mod words;
