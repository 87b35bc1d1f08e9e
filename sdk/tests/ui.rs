//! What the compiler says to a usual mistake, one mistake a file, and programs that must compile.
//!
//! The texts in `tests/ui/fail/*.stderr` are those of the toolchain in `rust-toolchain.toml`. After a change of messages
//! they are written anew by `TRYBUILD=overwrite cargo test -p steadfast --test ui`, and read before they are
//! committed.

#[test]
fn usual_mistakes_are_told_where_they_stand() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/fail/*.rs");
}
