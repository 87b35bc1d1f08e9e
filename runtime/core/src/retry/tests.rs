use super::*;

const DRAWS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

fn plain(initial: u64, factor: f64) -> RetryPolicy {
    RetryPolicy::exponential(Duration::from_secs(initial)).backoff_coefficient(factor).jitter(0.0)
}

#[test]
fn two_hundred_waits_double_up_to_the_cap_and_never_overflow() {
    let policy = plain(1, 2.0).maximum_interval(Duration::from_secs(60));
    let mut total = Duration::ZERO;
    for attempt in 1..200_u32 {
        let expected = Duration::from_secs(60.min(1_u64 << (attempt - 1).min(6)));
        assert_eq!(policy.delay(attempt, 0.5, None), expected, "after attempt {attempt}");
        total += policy.delay(attempt, 0.5, None);
    }
    assert_eq!(total, Duration::from_secs(11_643));
}

#[test]
fn other_factors_stay_above_zero_and_at_or_below_the_cap() {
    for factor in [1.0, 1.5, 1e6] {
        for cap in [Duration::from_secs(60), Duration::MAX] {
            let policy = plain(1, factor).maximum_interval(cap);
            for attempt in [1, 2, 3, 40, 64, 65, 200, 10_000, u32::MAX] {
                let delay = policy.delay(attempt, 1.0, None);
                assert!(!delay.is_zero() && delay <= cap.min(INTERVAL_MAX), "{factor} {attempt}: {delay:?}");
            }
        }
    }
    assert_eq!(plain(1, 1e6).maximum_interval(Duration::MAX).nominal(u32::MAX), INTERVAL_MAX);
    assert_eq!(plain(1, 1.0).nominal(u32::MAX), Duration::from_secs(1));
}

#[test]
fn every_wait_lies_in_its_band() {
    let policy = RetryPolicy::exponential(Duration::from_secs(10)).maximum_interval(Duration::from_secs(60));
    for attempt in 1..20 {
        let nominal = policy.nominal(attempt);
        for draw in DRAWS {
            let delay = policy.delay(attempt, draw, None);
            assert!(delay >= nominal.mul_f64(0.799_999) && delay <= nominal.mul_f64(1.200_001), "{delay:?}");
            assert!(delay <= Duration::from_secs(60));
        }
    }
    assert_ne!(policy.delay(9, 0.2, None), policy.delay(9, 0.8, None), "not piled up on the cap");
}

#[test]
fn retry_after_is_a_minimum_to_which_jitter_only_adds() {
    let policy =
        RetryPolicy::exponential(Duration::from_secs(1)).maximum_retry_after(Duration::from_secs(100));
    for draw in DRAWS {
        let delay = policy.delay(1, draw, Some(Duration::from_secs(30)));
        assert!(delay >= Duration::from_secs(30) && delay <= Duration::from_secs(36), "{delay:?}");
        assert_eq!(policy.delay(1, draw, Some(Duration::MAX)), Duration::from_secs(100));
        assert!(policy.delay(5, draw, Some(Duration::from_secs(1))) > Duration::from_secs(1));
    }
}

#[test]
fn a_policy_that_cannot_be_meant_is_refused_when_it_is_built() {
    type Build = fn() -> RetryPolicy;
    let bad: [Build; 6] = [
        || RetryPolicy::exponential(Duration::ZERO),
        || RetryPolicy::default().backoff_coefficient(0.99),
        || RetryPolicy::default().backoff_coefficient(f64::NAN),
        || RetryPolicy::default().maximum_interval(Duration::ZERO),
        || RetryPolicy::default().jitter(1.1),
        || RetryPolicy::default().jitter(f64::NAN),
    ];
    for (index, build) in bad.into_iter().enumerate() {
        assert!(std::panic::catch_unwind(build).is_err(), "policy {index}");
    }
}
