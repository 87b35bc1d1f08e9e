use tempfile::TempDir;

use super::super::call::Call;
use super::super::step::{Action, Kind};
use super::*;

const BOOKED: &str = r#"{"number":1,"action":"book","kind":"card","tour":"tour-1","idempotency_key":"k","subject":"ann","cents":500,"attempt":1,"decline":false,"outcome":"booked"}"#;
const CANCELLED: &str = r#"{"number":2,"action":"cancel","kind":"card","tour":"tour-1","idempotency_key":"k","subject":"ann","cents":500,"attempt":1,"decline":false,"outcome":"cancelled"}"#;

fn call(action: Action) -> Call {
    Call {
        action,
        kind: Kind::Card,
        tour: "tour-1".into(),
        idempotency_key: "k".into(),
        subject: "ann".into(),
        cents: 500,
        attempt: 1,
        decline: false,
    }
}

fn take(ledger: &mut Ledger, register: &mut Register, action: Action) {
    let (entry, _) = register.take(call(action)).unwrap();
    let mut lines = Vec::new();
    ledger.encode(&entry, &mut lines).unwrap();
    ledger.append(&lines).unwrap();
}

fn with_text(text: &str) -> (TempDir, PathBuf) {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join(FILE_NAME);
    fs::write(&path, text).unwrap();
    (dir, path)
}

#[test]
fn the_lines_on_disk_are_stable() {
    let dir = TempDir::new().unwrap();
    let (mut ledger, mut register) = Ledger::open(dir.path()).unwrap();
    take(&mut ledger, &mut register, Action::Book);
    take(&mut ledger, &mut register, Action::Cancel);
    let text = fs::read_to_string(dir.path().join(FILE_NAME)).unwrap();
    assert_eq!(text, format!("{BOOKED}\n{CANCELLED}\n"));
}

#[test]
fn a_reopened_ledger_knows_the_same_and_goes_on() {
    let dir = TempDir::new().unwrap();
    let (mut ledger, mut register) = Ledger::open(dir.path()).unwrap();
    take(&mut ledger, &mut register, Action::Book);
    drop(ledger);

    let (mut ledger, mut reloaded) = Ledger::open(dir.path()).unwrap();
    assert_eq!(reloaded.books(), register.books());
    take(&mut ledger, &mut reloaded, Action::Cancel);
    drop(ledger);

    let (_ledger, again) = Ledger::open(dir.path()).unwrap();
    assert_eq!(again.books(), reloaded.books());
}

#[test]
fn a_torn_end_is_cut_wherever_it_is_torn() {
    let (whole_dir, _) = with_text(&format!("{BOOKED}\n"));
    let expected = Ledger::open(whole_dir.path()).unwrap().1.books();
    for length in 0..=CANCELLED.len() {
        let (dir, path) = with_text(&format!("{BOOKED}\n{}", &CANCELLED[..length]));
        let (mut ledger, mut register) = Ledger::open(dir.path()).unwrap();
        assert_eq!(register.books(), expected, "torn after {length} bytes");
        take(&mut ledger, &mut register, Action::Cancel);
        assert_eq!(fs::read_to_string(path).unwrap(), format!("{BOOKED}\n{CANCELLED}\n"));
    }
}

#[test]
fn damage_is_reported_with_its_line_and_left_as_it_is() {
    let other_outcome = CANCELLED.replace("\"cancelled\"", "\"nothing\"");
    let other_cents = CANCELLED.replace("500", "501");
    let cases = [
        (format!("{CANCELLED}\n"), 1, "has entry number 2"),
        (
            format!("{BOOKED}\n\n{CANCELLED}\n"),
            2,
            "is no entry: EOF while parsing a value at line 2 column 0",
        ),
        (format!("{BOOKED}\n{other_outcome}\n"), 2, "records Nothing where Cancelled follows"),
        (
            format!("{BOOKED}\n{other_cents}\n"),
            2,
            "the idempotency key was used for another booking: tour \"tour-1\", subject \"ann\", 500 cents",
        ),
        (format!("{BOOKED}\nnonsense\n"), 2, "is no entry: expected ident at line 1 column 2"),
    ];
    for (text, line, reason) in cases {
        let (dir, path) = with_text(&text);
        let error = Ledger::open(dir.path()).unwrap_err();
        assert_eq!(error.to_string(), format!("ledger {}, line {line}: {reason}", path.display()));
        assert_eq!(fs::read_to_string(path).unwrap(), text);
    }
}

#[test]
fn a_directory_has_one_service() {
    let dir = TempDir::new().unwrap();
    let first = Ledger::open(dir.path()).unwrap();
    let error = Ledger::open(dir.path()).unwrap_err();
    let path = dir.path().join(FILE_NAME);
    assert_eq!(error.to_string(), format!("ledger {} is in use by another service", path.display()));
    drop(first);
    Ledger::open(dir.path()).unwrap();
}
