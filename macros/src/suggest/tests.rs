use super::{distance, nearest, unknown};

const KEYS: &[&str] = &["name", "queue", "start_to_close", "schedule_to_close"];

#[test]
fn distances() {
    for (a, b, expected) in [
        ("", "", 0),
        ("abc", "abc", 0),
        ("abc", "", 3),
        ("", "abc", 3),
        ("kitten", "sitting", 3),
        ("ab", "ba", 2),
    ] {
        assert_eq!(distance(a, b), expected, "{a} → {b}");
    }
}

#[test]
fn a_misspelt_word_has_a_neighbour() {
    assert_eq!(nearest("start_to_closed", KEYS), Some("start_to_close"));
    assert_eq!(nearest("nmae", KEYS), None);
    assert_eq!(nearest("nam", KEYS), Some("name"));
    assert_eq!(nearest("parallelism", KEYS), None);
}

#[test]
fn a_word_without_neighbour_is_told_all() {
    assert_eq!(unknown("key", "quue", KEYS), "unknown key `quue`; did you mean `queue`?");
    assert_eq!(
        unknown("key", "priority", KEYS),
        "unknown key `priority`; known are `name`, `queue`, `start_to_close`, `schedule_to_close`"
    );
}
