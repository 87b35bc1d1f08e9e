//! Case 11: a history of 65,537 events, written into the store by hand.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use steadfast::history::{Event, EventKind, RunLimits, SideEffectRecorded, TimerFired, TimerStarted};
use steadfast::prelude::*;
use steadfast::store::{
    CurrentRow, Group, HistoryEnd, HistoryRecord, RunHead, Store, Transition, Verdict, Write,
};
use steadfast::{EventId, Payload, RunId, RunStatus};
use steadfast_core::{ShardId, WorkflowId, encode_events};
use steadfast_tests::kit::{Bed, StoreKind, TestResult};

use crate::support::{head, loaded, replay_once, store};

const EVENTS: u64 = 65_537;
/// Each nap is two events; the start, the long sleep and the side effect are the other three.
const NAPS: u64 = (EVENTS - 3) / 2;
const LONG: Duration = Duration::from_secs(3_600);
/// How many records go into one transition.
const RECORDS: usize = 400;

/// Sleeps long, and meanwhile as often as it is told for no time at all.
#[workflow]
async fn naps(ctx: WorkflowContext, naps: u64) -> Result<u64, WorkflowError> {
    let (long, counted) = join!(ctx.sleep(LONG), async {
        for _ in 0..naps {
            ctx.sleep(Duration::ZERO).await?;
        }
        Ok::<u64, Cancelled>(ctx.side_effect(|| naps))
    });
    long?;
    Ok(counted?)
}

/// What a run without naps says, made longer: its start is told of the naps, and they stand before the side effect.
fn with_naps(short: &[Event], id: &WorkflowId, run: RunId) -> TestResult<Vec<Event>> {
    let [started, long, effect] = short else { anyhow::bail!("{} events", short.len()) };
    let EventKind::WorkflowStarted(begin) = &started.kind else { anyhow::bail!("{}", started.kind.name()) };
    let EventKind::TimerStarted(timer) = &long.kind else { anyhow::bail!("{}", long.kind.name()) };
    let begin = steadfast::history::WorkflowStarted {
        input: Payload::json(&NAPS)?,
        workflow_id: id.clone(),
        run_id: run,
        ..begin.clone()
    };
    let mut kinds = vec![EventKind::from(begin), long.kind.clone()];
    for nap in 0..NAPS {
        let started = EventId(3 + 2 * nap);
        kinds.push(TimerStarted { due: long.at, ..timer.clone() }.into());
        kinds.push(TimerFired { started }.into());
    }
    let EventKind::SideEffectRecorded(counted) = &effect.kind else {
        anyhow::bail!("{}", effect.kind.name())
    };
    kinds.push(SideEffectRecorded { value: Payload::json(&NAPS)?, ..counted.clone() }.into());
    Ok(kinds.into_iter().zip(1..).map(|(kind, id)| Event { id: EventId(id), at: long.at, kind }).collect())
}

/// The records of a history: the first activation, then two events each, as the engine writes them.
fn records(events: &[Event]) -> TestResult<Vec<HistoryRecord>> {
    let (first, rest) = events.split_at_checked(3).context("a history of three events")?;
    let record = |events: &[Event]| {
        let first = events.first().context("a record of no events")?.id;
        Ok(HistoryRecord { first, count: u32::try_from(events.len())?, body: encode_events(events)? })
    };
    std::iter::once(first).chain(rest.chunks(2)).map(record).collect()
}

/// Writes a run with these records beside the engine, which does not know of it yet.
fn write(store: &dyn Store, shard: ShardId, mut head: RunHead, records: &[HistoryRecord]) -> TestResult {
    let epoch = store.shards()?.get(usize::from(shard.0)).context("the shard")?.epoch;
    let row = CurrentRow { run_id: head.run_id, status: head.status };
    let due = head.due.context("a run that sleeps is due")?;
    let mut writes = vec![
        Write::PutCurrent { workflow: head.workflow_id.clone(), row },
        Write::PutDue { at: due, run: head.run_id },
    ];
    let mut end = HistoryEnd::default();
    for records in records.chunks(RECORDS) {
        for record in records {
            end = end.with(record);
            writes.push(Write::AppendHistory { run: head.run_id, record: record.clone() });
        }
        (head.last_event, head.history_hash, head.history_bytes) = (end.last_event, end.hash, end.bytes);
        writes.push(Write::PutHead(head.clone()));
        let transition = Transition { shard, epoch, expected: None, writes: std::mem::take(&mut writes) };
        let group = Group { at: store.now()?, transitions: vec![transition] };
        ensure!(store.commit(&group)? == [Verdict::Committed], "the records were refused");
    }
    Ok(())
}

async fn case_11_65537_events_written_by_hand_are_loaded_and_replayed(kind: StoreKind) -> TestResult {
    let limits = RunLimits { history_events_max: 100_000, ..RunLimits::default() };
    let mut bed = Bed::with(kind, move |config| steadfast::EngineConfig { limits, ..config }).await?;
    bed.serve(|worker, _| worker.workflow(naps)).await?;
    bed.start(naps, "short", 0).await?;
    let (long, run) = (WorkflowId::new("long")?, RunId::from_bytes([7; 16]));
    {
        let store = store(&bed)?;
        let (_, short) = head(&*store, "short")?;
        let events = with_naps(&loaded(&*store, "short")?, &long, run)?;
        assert_eq!(events.len() as u64, EVENTS);
        let head = RunHead { run_id: run, workflow_id: long.clone(), ..short };
        write(&*store, long.shard(store.shard_count()), head, &records(&events)?)?;
        assert!(loaded(&*store, "long")? == events, "what was loaded is what was written");
    }
    bed.kill_and_restart().await?;
    assert_eq!(loaded(&*store(&bed)?, "long")?.len() as u64, EVENTS);
    assert_eq!(bed.client().handle("long").describe().await?.status, RunStatus::Running);
    bed.advance(LONG);
    assert_eq!(bed.handle(naps, "long").result().await?, NAPS);
    let events = loaded(&*store(&bed)?, "long")?;
    let closing: Vec<&str> = events.iter().skip(65_537).map(|event| event.kind.name()).collect();
    assert_eq!(closing, ["TimerFired", "WorkflowCompleted"]);
    replay_once(steadfast::__private::definition(naps), &events)
}

steadfast_tests::on_stores!(case_11_65537_events_written_by_hand_are_loaded_and_replayed);
