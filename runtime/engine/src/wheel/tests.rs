use super::*;

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_micros(seconds * 1_000_000)
}

fn run(byte: u8) -> RunId {
    RunId::from_bytes([byte; 16])
}

fn engine(seconds: u64) -> Deadlines {
    Deadlines { engine: Some(at(seconds)), wall: None }
}

#[test]
fn runs_come_out_in_order_of_time_and_once() {
    let mut wheel = Wheel::default();
    wheel.set(run(1), engine(20));
    wheel.set(run(2), engine(10));
    wheel.set(run(1), engine(5));
    assert_eq!(wheel.next(at(0), at(0)), Some(at(5)));
    assert_eq!(wheel.pop(at(4), at(4)), None);
    assert_eq!(wheel.pop(at(30), at(30)), Some(run(1)));
    assert_eq!(wheel.pop(at(30), at(30)), Some(run(2)));
    assert_eq!(wheel.pop(at(30), at(30)), None);
}

#[test]
fn a_step_of_the_wall_clock_moves_only_what_follows_it() {
    let mut wheel = Wheel::default();
    wheel.set(run(1), engine(100));
    wheel.set(run(2), Deadlines { engine: None, wall: Some(at(100)) });
    assert_eq!(wheel.next(at(50), at(50)), Some(at(51)), "looked at every second");
    assert_eq!(wheel.pop(at(50), at(3_600)), Some(run(2)));
    assert_eq!(wheel.pop(at(50), at(3_600)), None);
}

#[test]
fn a_step_of_the_wall_clock_over_the_horizon_is_seen_within_a_second() {
    let mut wheel = Wheel::default();
    wheel.reached(DueEntry { at: at(300), run: run(255) }, true);
    assert_eq!(wheel.next(at(10), at(10)), Some(at(11)), "looked at every second");
    assert!(wheel.wants_reading(at(11), at(11)).is_none());
    assert!(wheel.wants_reading(at(11), at(3_600)).is_some());
    assert_eq!(wheel.next(at(11), at(3_600)), Some(at(11)), "at once");
    wheel.reached(DueEntry { at: at(3_900), run: run(255) }, false);
    assert_eq!(wheel.next(at(11), at(3_600)), None, "nothing lies beyond");
}

#[test]
fn what_sleeps_beyond_the_horizon_is_forgotten_and_read_again() {
    let mut wheel = Wheel::default();
    wheel.reached(DueEntry { at: at(300), run: run(255) }, false);
    wheel.set(run(1), engine(1_000));
    assert_eq!(wheel.wants_reading(at(200), at(200)), None, "nothing lies beyond");
    wheel.leave(run(1), Some(at(1_000)));
    assert_eq!(wheel.pop(at(2_000), at(2_000)), None);
    assert_eq!(wheel.next(at(149), at(0)), Some(at(150)));
    assert!(wheel.wants_reading(at(149), at(149)).is_none());
    assert!(wheel.wants_reading(at(150), at(0)).is_some());
    wheel.set(run(2), engine(250));
    wheel.leave(run(2), Some(at(250)));
    assert_eq!(wheel.pop(at(250), at(250)), Some(run(2)), "what is near stays");
}
