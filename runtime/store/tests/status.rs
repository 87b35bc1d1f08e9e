//! The stored numbers of run states: frozen.

use steadfast_core::codec::{decode, encode};
use steadfast_store::{RunStatus, UnknownRunStatus};

#[test]
fn every_state_has_its_number_for_ever() {
    use RunStatus::{
        Blocked, Cancelled, Compensating, Completed, ContinuedAsNew, Failed, Paused, Running, Terminated,
        TimedOut,
    };
    let numbers = [
        (Running, 1),
        (Compensating, 2),
        (Blocked, 3),
        (Paused, 4),
        (Completed, 101),
        (Failed, 102),
        (Cancelled, 103),
        (TimedOut, 104),
        (Terminated, 105),
        (ContinuedAsNew, 106),
    ];
    assert_eq!(numbers.map(|(status, _)| status), RunStatus::ALL);
    for (status, number) in numbers {
        assert_eq!(status.number(), number);
        assert_eq!(encode(&status).unwrap(), [number]);
        assert_eq!(decode::<RunStatus>(&[number]).unwrap(), status);
        assert_eq!(status.is_open(), number < 100);
        let json = serde_json::to_string(&status).unwrap();
        assert_eq!(json, format!("\"{}\"", status.name()));
        assert_eq!(serde_json::from_str::<RunStatus>(&json).unwrap(), status);
    }
}

#[test]
fn an_unknown_state_is_an_error() {
    assert_eq!(RunStatus::try_from(5), Err(UnknownRunStatus(5)));
    let error = decode::<RunStatus>(&[5]).unwrap_err();
    assert!(error.to_string().contains("5 is the number of no state of a run"), "{error}");
    assert!(serde_json::from_str::<RunStatus>("\"Sleeping\"").is_err());
}
