use std::time::Duration;

use proc_macro2::Span;
use syn::LitStr;

use super::{parse, parse_positive};

fn literal(text: &str) -> LitStr {
    LitStr::new(text, Span::call_site())
}

#[test]
fn what_people_write() {
    for (text, millis) in [
        ("500ms", 500),
        ("1.5s", 1_500),
        ("15s", 15_000),
        (" 15 s ", 15_000),
        ("10m", 600_000),
        ("0.5h", 1_800_000),
        ("2h", 7_200_000),
        ("3d", 259_200_000),
        ("0s", 0),
    ] {
        assert_eq!(parse(&literal(text)).unwrap(), Duration::from_millis(millis), "{text}");
    }
    assert_eq!(parse(&literal("0.000001ms")).unwrap(), Duration::from_nanos(1));
}

#[test]
fn what_is_no_duration() {
    for text in
        ["", "s", "15", "15 parsecs", "-1s", "1e3s", "1.s", ".5s", "1,5s", "inf s", "0.0000001ms", "1h30m"]
    {
        let error = parse(&literal(text)).unwrap_err().to_string();
        assert!(
            error.ends_with("is not a duration; write \"500ms\", \"1.5s\", \"10m\", \"2h\" or \"3d\""),
            "{error}"
        );
    }
}

#[test]
fn bounds() {
    assert_eq!(parse(&literal("36501d")).unwrap_err().to_string(), "`36501d` is longer than 100 years");
    assert!(parse(&literal("99999999999999999999999999999999999999d")).is_err());
    let zero = parse_positive("heartbeat", &literal("0s")).unwrap_err().to_string();
    assert_eq!(zero, "`heartbeat` must be longer than zero; leave it out to have no such limit");
}
