use super::kind::{EventCodecError, decode_events, encode_events};
use super::*;
use crate::id::EventId;
use crate::time::Timestamp;

fn events() -> Vec<Event> {
    sample::every_kind()
        .into_iter()
        .enumerate()
        .map(|(index, kind)| {
            let id = EventId(index as u64 + 1);
            Event { id, at: Timestamp::from_micros(1_700_000_000_000_000 + id.0), kind }
        })
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of every kind are part of the format. A difference here means that stored histories become unreadable.
#[test]
fn the_stored_bytes_of_every_kind_are_the_golden_ones() {
    let mut lines = String::new();
    for event in events() {
        let bytes = encode_events(std::slice::from_ref(&event)).unwrap();
        assert_eq!(decode_events(&bytes).unwrap(), std::slice::from_ref(&event));
        lines.push_str(&format!("{} {}\n", event.kind.name(), hex(&bytes)));
    }
    assert_eq!(lines, include_str!("golden.txt"), "golden bytes");
}

#[test]
fn every_kind_survives_json() {
    let json = to_json(&events()).unwrap();
    assert_eq!(from_json(&json).unwrap(), events());
    assert!(json.contains(r#""type": "ActivityScheduled""#) && json.contains(r#""json":"#), "{json}");
}

#[test]
fn damaged_bytes_are_an_error_with_the_place_and_never_a_panic() {
    let whole = encode_events(&events()).unwrap();
    for cut in 0..whole.len() {
        assert!(decode_events(&whole[..cut]).is_err(), "cut at {cut}");
    }
    let mut seed = 1_u64;
    for _ in 0..20_000 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut bytes = whole.clone();
        let index = usize::try_from(seed >> 33).unwrap() % bytes.len();
        bytes[index] ^= 1 << ((seed >> 20) & 7);
        let _ = decode_events(&bytes);
    }
    let huge = [0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    assert!(decode_events(&huge).is_err(), "a rotten length does not allocate");
}

#[test]
fn a_kind_that_this_build_does_not_know_is_named() {
    let event = Event { id: EventId(1), at: Timestamp::ZERO, kind: sample::every_kind().remove(5) };
    let mut bytes = encode_events(&[event]).unwrap();
    // [count, id, at, kind, version, ..]: the kind of a fired timer is 6.
    assert_eq!(bytes[3], 6);
    bytes[3] = 99;
    let error = decode_events(&bytes).unwrap_err();
    assert_eq!(error, EventCodecError::Unknown { id: EventId(1), kind: 99, version: 1 });
    assert_eq!(error.to_string(), "event 1 has kind 99 version 1, which this build does not know");
}

#[test]
fn json_that_is_no_history_is_refused_with_the_place() {
    for (text, problem) in [
        ("{", "this is no history"),
        (
            r#"[{"id":1,"at":"1970-01-01T00:00:00Z","type":"Nothing","attributes":{}}]"#,
            "event 1 cannot be read as Nothing",
        ),
        (
            r#"[{"id":1,"at":"1970-01-01T00:00:00Z","type":"TimerFired","attributes":{}}]"#,
            "event 1 cannot be read as TimerFired",
        ),
    ] {
        assert_eq!(from_json(text).unwrap_err().to_string(), problem);
    }
}
