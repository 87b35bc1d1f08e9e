use super::*;

#[test]
fn text_and_number_agree_over_five_centuries() {
    for day in (0..190_000_u64).step_by(13) {
        let at = Timestamp::from_micros(day * SECONDS_PER_DAY * MICROS_PER_SECOND + 123_456 + day);
        assert_eq!(Timestamp::parse(&at.to_string()), Some(at), "{at}");
    }
    assert_eq!(Timestamp::from_micros(951_782_400_000_000).to_string(), "2000-02-29T00:00:00.000000Z");
    assert_eq!(
        Timestamp::parse("1999-12-31T23:59:59.999999Z").map(|at| at.as_micros()),
        Some(946_684_799_999_999)
    );
}

#[test]
fn arithmetic_saturates_and_never_ends_a_wait_early() {
    assert_eq!(Timestamp::MAX.after(Duration::MAX), Timestamp::MAX);
    assert_eq!(Timestamp::ZERO.after(Duration::from_nanos(1)), Timestamp::from_micros(1));
    assert_eq!(Timestamp::ZERO.since(Timestamp::MAX), Duration::ZERO);
    assert_eq!(Timestamp::MAX.to_string().len(), "586524-01-19T08:01:49.551615Z".len());
}

#[test]
fn what_is_no_time_is_refused() {
    for text in ["", "2000-01-01", "2000-13-01T00:00:00Z", "2000-01-01T24:00:00Z", "2000-01-01T00:00:00"] {
        assert_eq!(Timestamp::parse(text), None, "{text}");
    }
}
