//! `kill -9` at random moments, opening included: every acknowledged transition is whole afterwards, none is half.

use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use steadfast_core::{EventId, RunId, ShardId, Timestamp};
use steadfast_store::{
    Commits, Due, Group, HistoryEnd, HistoryRecord, RunHead, RunStatus, Runs, Verdict, Write,
};
use steadfast_store_sled::{Probe, SledStore};
use tempfile::TempDir;

#[cfg(test)]
mod support;

use support::child::{child, child_dir};
use support::{Owner, options};

const ROUNDS: u64 = 20;

/// One run for each life of the child.
#[cfg(test)]
fn run(life: u64) -> RunId {
    RunId::from_bytes(u128::from(life).to_be_bytes())
}

#[cfg(test)]
fn body(event: u64) -> Vec<u8> {
    // From a few bytes to several chunks.
    let length = usize::try_from(event * 7_919 % 6_000).unwrap();
    vec![u8::try_from(event % 251).unwrap(); length]
}

/// The next event of a run, its head, and two due keys that replace those of the event before.
#[cfg(test)]
fn step(run: RunId, end: &mut HistoryEnd) -> Vec<Write> {
    let first = end.last_event.next();
    let record = HistoryRecord { first, count: 1, body: body(first.0) };
    *end = end.with(&record);
    let head = RunHead {
        run_id: run,
        workflow_id: "workflow".to_owned().try_into().unwrap(),
        workflow_type: "book_tour".to_owned().try_into().unwrap(),
        status: RunStatus::Running,
        last_event: end.last_event,
        history_hash: end.hash,
        history_bytes: end.bytes,
        due: None,
        has_items: false,
        mail_next: 0,
        body: body(first.0 / 3),
    };
    let at = |event: u64| [event, event + 1_000_000].map(Timestamp::from_micros);
    let mut writes = vec![Write::AppendHistory { run, record }, Write::PutHead(head)];
    writes.extend(at(first.0 - 1).map(|at| Write::DeleteDue { at, run }));
    writes.extend(at(first.0).map(|at| Write::PutDue { at, run }));
    writes
}

/// What the second process does.
#[cfg(test)]
fn child_commits(dir: &Path) {
    let life: u64 = std::env::var("STEADFAST_TEST_LIFE").unwrap().parse().unwrap();
    let mut out = std::io::stdout();
    let mut say = |text: String| {
        // One write a line, so that a kill cuts no line in two.
        out.write_all(text.as_bytes()).unwrap();
        out.flush().unwrap();
    };
    say("\nOPENING\n".to_owned());
    let mut chosen = options(dir);
    if let Ok(text) = std::env::var("STEADFAST_TEST_STEP") {
        let (step, nth) = text.split_once(' ').unwrap();
        chosen.probe = dying_at(step.to_owned(), nth.parse().unwrap());
    }
    let store = SledStore::open(chosen).unwrap();
    let owner = Owner::of(&store);
    say("OPEN\n".to_owned());
    let mut end = HistoryEnd::default();
    loop {
        let count = 1 + end.last_event.0 % 4;
        let transitions = (0..count).map(|_| owner.transition(step(run(life), &mut end))).collect();
        let verdicts =
            store.commit(&Group { at: Timestamp::from_micros(end.last_event.0), transitions }).unwrap();
        assert!(verdicts.iter().all(|verdict| *verdict == Verdict::Committed));
        say(format!("ACK {}\n", end.last_event.0));
    }
}

/// Ends the process when a step of a commit comes for the nth time.
#[cfg(test)]
fn dying_at(name: String, nth: u64) -> Probe {
    let times = AtomicU64::new(0);
    Probe::from_fn(move |step| {
        if format!("{step:?}") == name && times.fetch_add(1, Ordering::Relaxed) + 1 == nth {
            std::process::abort();
        }
        Ok(())
    })
}

/// What a life acknowledged last, and whether it was killed before it was open. It is killed so long after it began, or
/// after it acknowledged so many groups.
#[cfg(test)]
fn live_and_die(dir: &Path, life: u64, groups: u64, moment: Duration) -> (u64, bool) {
    let mut process = start(dir, life, None);
    let output = process.stdout.take().unwrap();
    let (said, heard) = channel();
    let reading = thread::spawn(move || listen(output, &said));
    for _ in 0..groups {
        heard.recv().unwrap();
    }
    // A moment between two steps of the operating system cannot be stepped to: it is waited for.
    thread::sleep(moment);
    process.kill().unwrap();
    process.wait().unwrap();
    let (acknowledged, opened) = reading.join().unwrap();
    (acknowledged, !opened)
}

#[cfg(test)]
fn start(dir: &Path, life: u64, step: Option<String>) -> Child {
    let mut command = child("what_was_acknowledged_survives_being_killed", dir);
    command.env("STEADFAST_TEST_LIFE", life.to_string()).stdout(Stdio::piped()).stderr(Stdio::null());
    if let Some(step) = step {
        command.env("STEADFAST_TEST_STEP", step);
    }
    command.spawn().unwrap()
}

/// The last event that was acknowledged, and whether the store was opened at all. Each group is told at once.
#[cfg(test)]
fn listen(output: ChildStdout, acknowledgements: &Sender<u64>) -> (u64, bool) {
    let (mut acknowledged, mut opened) = (0, false);
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        opened |= line == "OPEN";
        if let Some(event) = line.strip_prefix("ACK ") {
            acknowledged = event.parse().unwrap();
            // Nobody may be listening any more.
            let _ = acknowledgements.send(acknowledged);
        }
    }
    (acknowledged, opened)
}

/// The run of a life is whole up to its head, and its head is not behind what was acknowledged.
#[cfg(test)]
fn check(store: &SledStore, life: u64, acknowledged: u64) {
    let Some(head) = store.head(ShardId(0), run(life)).unwrap() else {
        assert_eq!(acknowledged, 0, "life {life} lost everything");
        return;
    };
    let last = head.last_event;
    assert!(last.0 >= acknowledged, "life {life}: {last} is there, {acknowledged} was acknowledged");
    assert_eq!(head.body, body(last.0 / 3));
    let records = store.history(ShardId(0), run(life), EventId(1), 1_000_000).unwrap();
    let mut end = HistoryEnd::default();
    for record in &records {
        assert_eq!(record.first, end.last_event.next());
        assert_eq!(record.body, body(record.first.0));
        end = end.with(record);
    }
    assert_eq!(end, HistoryEnd::of(&head), "life {life}: history and head are of one transition");
    let due = store.due(ShardId(0), None, Timestamp::MAX, 1_000_000).unwrap();
    let of_run: Vec<_> =
        due.iter().filter(|entry| entry.run == run(life)).map(|entry| entry.at.as_micros()).collect();
    assert_eq!(of_run, [last.0, last.0 + 1_000_000], "life {life}: the due keys are of the last transition");
}

#[test]
fn what_was_acknowledged_survives_being_killed() {
    if let Some(dir) = child_dir() {
        return child_commits(&dir);
    }
    let seed: u64 = std::env::var("STEADFAST_TEST_SEED").map_or(1, |text| text.parse().unwrap());
    println!("seed {seed} (STEADFAST_TEST_SEED chooses the same moments)");
    let dir = TempDir::new().unwrap();
    let mut state = seed | 1;
    let (mut total, mut while_opening) = (0, 0);
    for life in 1..=ROUNDS {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        // Half of the moments are counted from the beginning, so that many fall into the opening.
        let (groups, micros) =
            if life.is_multiple_of(2) { (0, state % 100_000) } else { (1 + state % 50, state % 2_000) };
        let (acknowledged, opening) = live_and_die(dir.path(), life, groups, Duration::from_micros(micros));
        total += acknowledged;
        while_opening += u64::from(opening);
        let store = SledStore::open(options(dir.path())).unwrap();
        check(&store, life, acknowledged);
        check(&store, 1 + state % life, 0);
    }
    println!("{ROUNDS} kills, {while_opening} while opening; {total} events acknowledged, none lost");
    assert!(total > ROUNDS, "hardly anything was committed: {total}");
}

/// The moments that count, one by one: from the first write of a new store on.
#[test]
fn dying_between_any_two_steps_of_a_commit_loses_nothing() {
    let dir = TempDir::new().unwrap();
    let mut life = 0;
    for nth in [1, 2, 5, 6, 7, 8, 30] {
        for step in ["Begin", "Applied", "Flushed", "Synced"] {
            life += 1;
            let mut process = start(dir.path(), life, Some(format!("{step} {nth}")));
            let (acknowledged, _) = listen(process.stdout.take().unwrap(), &channel().0);
            assert!(!process.wait().unwrap().success(), "it died at {step} {nth}");
            let store = SledStore::open(options(dir.path())).unwrap();
            check(&store, life, acknowledged);
        }
    }
}
