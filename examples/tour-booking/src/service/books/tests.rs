use super::super::booking::BookingId;
use super::*;

fn booking(kind: Kind, key: &str) -> Booking {
    Booking {
        kind,
        tour: "t".into(),
        idempotency_key: key.into(),
        subject: "s".into(),
        cents: 100,
        state: BookingState::Booked,
        booking_id: Some(BookingId::new(kind, 1)),
        book_calls: 1,
        cancel_calls: 0,
        booked: 1,
        cancelled: 0,
        last_attempt: 1,
    }
}

fn cancelled(kind: Kind, key: &str) -> Booking {
    Booking { state: BookingState::Cancelled, cancel_calls: 1, cancelled: 1, ..booking(kind, key) }
}

fn without_effect(state: BookingState, kind: Kind, key: &str) -> Booking {
    Booking { state, booking_id: None, booked: 0, ..booking(kind, key) }
}

fn whole() -> Vec<Booking> {
    vec![booking(Kind::Hotel, "h"), booking(Kind::Flight, "f"), booking(Kind::Card, "c")]
}

fn of_tour(tour: &str, bookings: Vec<Booking>) -> Vec<Booking> {
    bookings.into_iter().map(|booking| Booking { tour: tour.into(), ..booking }).collect()
}

fn tour(id: &str, expected: Expected) -> Tour {
    Tour { id: id.into(), expected }
}

fn judge_one(expected: Expected, bookings: Vec<Booking>) -> Result<Summary, Vec<String>> {
    judge(&Books { bookings }, &[tour("t", expected)])
}

#[test]
fn balanced_books_are_summed_up() {
    let unwound = vec![
        cancelled(Kind::Hotel, "h"),
        Booking { cancel_calls: 3, ..cancelled(Kind::Flight, "f") },
        without_effect(BookingState::Declined, Kind::Card, "c"),
    ];
    let mut bookings = of_tour("t-1", whole());
    bookings[2].book_calls = 2;
    bookings.extend(of_tour("t-2", unwound));
    bookings.extend(of_tour("t-3", vec![without_effect(BookingState::Barred, Kind::Hotel, "h")]));
    let tours = [
        tour("t-1", Expected::Completed),
        tour("t-2", Expected::Compensated),
        tour("t-3", Expected::Compensated),
        tour("t-4", Expected::Compensated),
    ];
    let summary = Summary {
        completed: 1,
        compensated: 3,
        booked: 5,
        cancelled: 2,
        cents: 300,
        repeated_calls: 3,
        declined: 1,
        barred: 1,
    };
    assert_eq!(judge(&Books { bookings }, &tours), Ok(summary.clone()));
    assert_eq!(
        summary.to_string(),
        "tours: 1 completed, 3 compensated; bookings: 5 took effect, 2 cancelled, 1 declined, 1 barred; \
         3 repeated calls had no effect; 300 cents stand"
    );
}

#[test]
fn a_completed_tour_lacks_nothing() {
    let bookings = vec![booking(Kind::Hotel, "h"), without_effect(BookingState::Declined, Kind::Card, "c")];
    let complaints = ["tour \"t\": no flight is booked", "tour \"t\": no card is booked"];
    assert_eq!(judge_one(Expected::Completed, bookings), Err(complaints.map(String::from).to_vec()));
}

#[test]
fn a_completed_tour_has_each_effect_once() {
    let mut bookings = whole();
    bookings[0].booked = 2;
    bookings.push(booking(Kind::Card, "c2"));
    let complaints = [
        "tour \"t\": hotel \"s\" (key \"h\") was booked 2 times",
        "tour \"t\": it has 2 bookings of one kind: card \"s\" (key \"c\"), card \"s\" (key \"c2\")",
    ];
    assert_eq!(judge_one(Expected::Completed, bookings), Err(complaints.map(String::from).to_vec()));
}

#[test]
fn a_completed_tour_was_not_undone() {
    let mut bookings = whole();
    bookings[0] = cancelled(Kind::Hotel, "h");
    bookings[1].cancelled = 1;
    bookings.push(without_effect(BookingState::Barred, Kind::Card, "c2"));
    let complaints = [
        "tour \"t\": hotel \"s\" (key \"h\") was cancelled",
        "tour \"t\": flight \"s\" (key \"f\") is booked, but was cancelled 1 times",
        "tour \"t\": card \"s\" (key \"c2\") was barred by a cancel",
    ];
    assert_eq!(judge_one(Expected::Completed, bookings), Err(complaints.map(String::from).to_vec()));
}

#[test]
fn a_compensated_tour_leaves_nothing_behind() {
    let bookings = vec![
        booking(Kind::Hotel, "h"),
        Booking { cancelled: 2, ..cancelled(Kind::Flight, "f") },
        Booking { booked: 2, cancelled: 2, ..cancelled(Kind::Card, "c") },
        Booking { cents: 7, booked: 1, ..without_effect(BookingState::Barred, Kind::Card, "c2") },
    ];
    let complaints = [
        "tour \"t\": hotel \"s\" (key \"h\") is still booked",
        "tour \"t\": flight \"s\" (key \"f\") took effect 1 times and was cancelled 2 times",
        "tour \"t\": card \"s\" (key \"c\") took effect 2 times and was cancelled 2 times",
        "tour \"t\": card \"s\" (key \"c2\") took effect 1 times and was cancelled 0 times",
        "tour \"t\": 7 cents were not given back",
    ];
    assert_eq!(judge_one(Expected::Compensated, bookings), Err(complaints.map(String::from).to_vec()));
}

#[test]
fn tours_and_books_name_each_other_once() {
    let tours = [tour("a", Expected::Compensated), tour("a", Expected::Compensated)];
    let complaints =
        ["tour \"a\" is listed twice", "tour \"t\": nobody asked for it, but the books have it 3 times"];
    assert_eq!(judge(&Books { bookings: whole() }, &tours), Err(complaints.map(String::from).to_vec()));
}
