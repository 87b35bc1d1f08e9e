use super::*;

fn call(action: Action, key: &str) -> Call {
    Call {
        action,
        kind: Kind::Hotel,
        tour: "tour-1".into(),
        idempotency_key: key.into(),
        subject: "Ritz".into(),
        cents: 12_000,
        attempt: 1,
        decline: false,
    }
}

fn declined(key: &str) -> Call {
    Call { decline: true, ..call(Action::Book, key) }
}

fn outcomes(calls: impl IntoIterator<Item = Call>) -> (Vec<Outcome>, Books) {
    let mut register = Register::default();
    let outcomes = calls.into_iter().map(|call| register.take(call).unwrap().0.outcome).collect();
    (outcomes, register.books())
}

fn booking() -> Booking {
    Booking {
        kind: Kind::Hotel,
        tour: "tour-1".into(),
        idempotency_key: "k".into(),
        subject: "Ritz".into(),
        cents: 12_000,
        state: BookingState::Booked,
        booking_id: Some(BookingId::new(Kind::Hotel, 1)),
        book_calls: 1,
        cancel_calls: 0,
        booked: 1,
        cancelled: 0,
        last_attempt: 1,
    }
}

#[test]
fn every_state_answers_every_call() {
    use BookingState::{Barred, Booked, Cancelled, Declined};
    let mut table = String::new();
    for state in [None, Some(Booked), Some(Declined), Some(Cancelled), Some(Barred)] {
        for (action, decline) in [(Action::Book, false), (Action::Book, true), (Action::Cancel, false)] {
            let (outcome, next) = decide(state, action, decline);
            let asked = if decline { "Decline".to_owned() } else { format!("{action:?}") };
            let state = state.map_or("-".to_owned(), |state| format!("{state:?}"));
            table += &format!("{state} {asked}: {outcome:?} {next:?}\n");
        }
    }
    let expected = "\
- Book: Booked Booked
- Decline: Declined Declined
- Cancel: Nothing Barred
Booked Book: BookedAlready Booked
Booked Decline: BookedAlready Booked
Booked Cancel: Cancelled Cancelled
Declined Book: Declined Declined
Declined Decline: Declined Declined
Declined Cancel: Nothing Barred
Cancelled Book: Barred Cancelled
Cancelled Decline: Barred Cancelled
Cancelled Cancel: CancelledAlready Cancelled
Barred Book: Barred Barred
Barred Decline: Barred Barred
Barred Cancel: Nothing Barred
";
    assert_eq!(table, expected);
}

#[test]
fn a_repeated_booking_has_one_effect_and_one_id() {
    let mut register = Register::default();
    let mut again = call(Action::Book, "k");
    again.attempt = 2;
    let answers =
        [call(Action::Book, "k"), again].map(|call| register.take(call).expect("the same booking").1);
    let booking_id = Some(BookingId::new(Kind::Hotel, 1));
    let expected = [
        Answer { outcome: Outcome::Booked, booking_id: booking_id.clone(), first_call: true },
        Answer { outcome: Outcome::BookedAlready, booking_id, first_call: false },
    ];
    assert_eq!(answers, expected);
    let books = Books { bookings: vec![Booking { book_calls: 2, last_attempt: 2, ..booking() }] };
    assert_eq!(register.books(), books);
}

#[test]
fn a_cancel_that_comes_first_bars_the_key() {
    let calls = [Action::Cancel, Action::Book, Action::Cancel].map(|action| call(action, "k"));
    let (outcomes, books) = outcomes(calls);
    assert_eq!(outcomes, [Outcome::Nothing, Outcome::Barred, Outcome::Nothing]);
    let barred =
        Booking { state: BookingState::Barred, booking_id: None, cancel_calls: 2, booked: 0, ..booking() };
    assert_eq!(books, Books { bookings: vec![barred] });
}

#[test]
fn a_cancelled_booking_stays_cancelled() {
    let calls = [Action::Book, Action::Cancel, Action::Cancel, Action::Book].map(|action| call(action, "k"));
    let (outcomes, books) = outcomes(calls);
    let expected = [Outcome::Booked, Outcome::Cancelled, Outcome::CancelledAlready, Outcome::Barred];
    assert_eq!(outcomes, expected);
    let cancelled =
        Booking { state: BookingState::Cancelled, book_calls: 2, cancel_calls: 2, cancelled: 1, ..booking() };
    assert_eq!(books, Books { bookings: vec![cancelled] });
}

#[test]
fn a_declined_key_stays_declined_until_it_is_barred() {
    let calls = [declined("k"), call(Action::Book, "k"), call(Action::Cancel, "k"), call(Action::Book, "k")];
    let (outcomes, books) = outcomes(calls);
    assert_eq!(outcomes, [Outcome::Declined, Outcome::Declined, Outcome::Nothing, Outcome::Barred]);
    let barred = Booking {
        state: BookingState::Barred,
        booking_id: None,
        book_calls: 3,
        cancel_calls: 1,
        booked: 0,
        ..booking()
    };
    assert_eq!(books, Books { bookings: vec![barred] });
}

#[test]
fn a_key_belongs_to_one_booking_of_its_kind() {
    let mut register = Register::default();
    register.take(call(Action::Book, "k")).unwrap();
    let wrong = [
        Call { tour: "tour-2".into(), ..call(Action::Book, "k") },
        Call { subject: "Savoy".into(), ..call(Action::Book, "k") },
        Call { cents: 1, ..call(Action::Cancel, "k") },
    ];
    let mismatch = Mismatch { tour: "tour-1".into(), subject: "Ritz".into(), cents: 12_000 };
    for call in wrong {
        assert_eq!(register.take(call), Err(mismatch.clone()));
    }
    assert_eq!(register.books(), Books { bookings: vec![booking()] });

    let flight = Call { kind: Kind::Flight, ..call(Action::Book, "k") };
    let (entry, _) = register.take(flight.clone()).unwrap();
    assert_eq!(entry, Entry { number: 2, call: flight, outcome: Outcome::Booked });
}
