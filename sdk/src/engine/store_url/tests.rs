use super::{Address, parse};

#[test]
fn addresses() {
    for (url, expected) in [
        ("./tours", Address::Directory("./tours")),
        ("tours", Address::Directory("tours")),
        ("/var/lib/tours", Address::Directory("/var/lib/tours")),
        ("./a:b", Address::Directory("./a:b")),
        ("C:\\tours", Address::Directory("C:\\tours")),
        ("sled:./tours", Address::Directory("./tours")),
        ("sled:///var/lib/tours", Address::Directory("/var/lib/tours")),
        ("memory:", Address::Memory),
        ("memory://", Address::Memory),
    ] {
        assert_eq!(parse(url).unwrap(), expected, "{url}");
    }
}

#[test]
fn what_is_no_address() {
    for (url, message) in [
        ("", "`` is not the address of a store: it names no directory; write `./dir`"),
        ("sled:", "`sled:` is not the address of a store: it names no directory; write `./dir`"),
        (
            "memory:tours",
            "`memory:tours` is not the address of a store: a store in memory has no name; write `memory:`",
        ),
        (
            "redis://localhost",
            "`redis:` is no store of this build; known are `./dir`, `sled:./dir` and `memory:`",
        ),
    ] {
        assert_eq!(parse(url).unwrap_err().to_string(), message);
    }
}
