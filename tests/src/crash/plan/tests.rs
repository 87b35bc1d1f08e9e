use std::collections::BTreeMap;

use super::{Kill, Plan};
use crate::crash::phase::{Marks, Phase};

#[test]
fn half_of_the_kills_are_at_points_and_no_phase_is_left_out() {
    let mut plan = Plan::new(7, None);
    assert!(matches!(plan.draw(), Kill::Ready { .. }), "the first worker brings its workflows into flight");
    let mut points = 0;
    let mut phases = BTreeMap::<Phase, usize>::new();
    for _ in 1..200 {
        match plan.draw() {
            Kill::Point { point, hit, .. } => {
                points += 1;
                assert!(hit > 0);
                if let Some(phase) = point.phase() {
                    *phases.entry(phase).or_default() += 1;
                }
            }
            Kill::Opening { .. } => *phases.entry(Phase::Opening).or_default() += 1,
            Kill::Ready { .. } => *phases.entry(Phase::Body).or_default() += 1,
        }
    }
    assert_eq!(points, 100);
    for phase in Phase::ALL {
        assert!(phases[&phase] >= 10, "{}: {phases:?}", phase.name());
    }
}

#[test]
fn the_same_seed_draws_the_same() {
    let draws = |seed| {
        let mut plan = Plan::new(seed, None);
        (0..50).map(|_| plan.draw()).collect::<Vec<_>>()
    };
    assert_eq!(draws(1), draws(1));
    assert_ne!(draws(1), draws(2));
}

#[test]
fn a_point_that_nobody_reaches_is_not_drawn_for_ever() {
    let mut plan = Plan::new(3, None);
    for _ in 0..200 {
        plan.draw();
        plan.learn(None, &Marks::default());
    }
    // All are unreached by now, so one of them is drawn all the same, at its first visit.
    let hits =
        (0..40).filter_map(|_| if let Kill::Point { hit, .. } = plan.draw() { Some(hit) } else { None });
    assert_eq!(hits.max(), Some(1));
}

#[test]
fn short_lives_are_short_and_some_end_while_the_store_is_opened() {
    let mut plan = Plan::new(5, Some(50));
    assert!(matches!(plan.draw(), Kill::Ready { .. }), "the first worker brings its workflows into flight");
    let mut opening = 0;
    for _ in 0..300 {
        match plan.draw() {
            Kill::Opening { after } => {
                opening += 1;
                assert!(after.as_millis() <= 50);
            }
            Kill::Ready { after } => assert!(after.as_millis() <= 50),
            Kill::Point { .. } => panic!("a point is no random moment"),
        }
    }
    assert_eq!(opening, 150);
}
