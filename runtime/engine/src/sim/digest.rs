//! Numbers that stand for what happened.

use steadfast_store::{Transition, Write};

use crate::activity::AttemptKey;
use crate::message::{Call, ShardMessage};

/// One more number. An FNV-like step over whole words, with a turn so that high bits count too.
pub(super) fn roll(hash: u64, number: u64) -> u64 {
    (hash ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

/// All of these bytes, and how many they are.
pub(super) fn roll_bytes(hash: u64, bytes: &[u8]) -> u64 {
    let mut hash = roll(hash, bytes.len() as u64);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = roll(hash, u64::from_le_bytes(word));
    }
    hash
}

/// Names an attempt.
pub(super) fn of_key(key: AttemptKey) -> [u64; 4] {
    let run = roll_bytes(0, key.run.as_bytes());
    [u64::from(key.shard.0), run, key.item.0, u64::from(key.attempt)]
}

/// What a transition writes.
pub(super) fn of_transition(transition: &Transition) -> u64 {
    let mut hash = roll(u64::from(transition.shard.0), transition.epoch.0);
    if let Some(expected) = transition.expected {
        hash = roll_bytes(roll(hash, expected.last_event.0), expected.run.as_bytes());
    }
    transition.writes.iter().fold(hash, of_write)
}

fn of_write(hash: u64, write: &Write) -> u64 {
    let run = |number: u64, run: &steadfast_core::RunId| roll_bytes(roll(hash, number), run.as_bytes());
    match write {
        Write::PutHead(head) => {
            let hash = roll(run(1, &head.run_id), head.last_event.0);
            let due = head.due.map_or(u64::MAX, steadfast_core::Timestamp::as_micros);
            let hash = roll(roll(hash, u64::from(head.status.number())), due);
            roll_bytes(roll(hash, u64::from(head.history_hash)), &head.body)
        }
        Write::AppendHistory { run: of, record } => {
            roll_bytes(roll(run(2, of), record.first.0), &record.body)
        }
        Write::PutItem { run: of, row } => roll_bytes(roll(run(3, of), row.item.0), &row.body),
        Write::DeleteItem { run: of, item } => roll(run(4, of), item.0),
        Write::PutCurrent { workflow, row } => {
            let hash = roll_bytes(run(5, &row.run_id), workflow.as_str().as_bytes());
            roll(hash, u64::from(row.status.number()))
        }
        Write::PutRequest { workflow, request, row } => {
            let hash = roll_bytes(run(6, &row.run_id), workflow.as_str().as_bytes());
            roll_bytes(roll_bytes(hash, request.as_str().as_bytes()), &row.outcome)
        }
        Write::PutDue { at, run: of } => roll(run(7, of), at.as_micros()),
        Write::DeleteDue { at, run: of } => roll(run(8, of), at.as_micros()),
        Write::PutListing(row) => roll(run(9, &row.run_id), u64::from(row.status.number())),
        Write::DeleteListing { run: of, .. } => run(10, of),
        Write::PutMail { run: of, row } => roll_bytes(roll(run(11, of), row.sequence), &row.body),
        Write::DeleteMail { run: of, sequence } => roll(run(12, of), *sequence),
        Write::PutMessage { row, .. } => roll(run(13, &row.from), row.sequence),
        Write::DeleteMessage { from, sequence } => roll(run(14, from), *sequence),
        Write::PutTask { row, .. } => roll(run(15, &row.run), row.scheduled.0),
        Write::DeleteTask { run: of, scheduled, .. } => roll(run(16, of), scheduled.0),
        Write::PutDeadLetter(row) => roll_bytes(roll(run(17, &row.run_id), row.scheduled.0), &row.body),
        Write::DeleteDeadLetter { run: of, scheduled } => roll(run(18, of), scheduled.0),
        Write::PutBreaker(row) => roll_bytes(
            roll(roll_bytes(roll(hash, 19), row.activity.as_str().as_bytes()), row.version),
            &row.body,
        ),
    }
}

/// What a shard is told, as a number and in words.
pub(super) fn of_message(message: &ShardMessage) -> (u64, String) {
    let key = |number: u64, key: &AttemptKey| of_key(*key).into_iter().fold(number, roll);
    match message {
        ShardMessage::Call(call) => {
            let (number, name) = of_call(call);
            (roll(1, number), format!("call {name}"))
        }
        ShardMessage::AttemptEnded { key: of, result, .. } => {
            let text = match result {
                Ok(_) => "ok".to_owned(),
                Err(error) => error.to_string(),
            };
            (roll(key(2, of), u64::from(result.is_ok())), format!("end of {}: {text}", name(*of)))
        }
        ShardMessage::Heartbeat { key: of, .. } => (key(3, of), format!("beat of {}", name(*of))),
        ShardMessage::Offered(offer) => {
            (roll(4, offer.task.item.0), format!("slot for {} item {}", offer.task.run, offer.task.item))
        }
        ShardMessage::WorkersChanged => (5, "workers changed".to_owned()),
        ShardMessage::Committed { generation, through } => {
            (roll(roll(6, *generation), *through), format!("committed through {through} of {generation}"))
        }
        ShardMessage::Failed { generation, fault } => {
            (roll(7, *generation), format!("failed in {generation}: {fault}"))
        }
        ShardMessage::Wake => (8, "wake".to_owned()),
    }
}

fn of_call(call: &Call) -> (u64, String) {
    let by =
        |number: u64, workflow: &steadfast_core::WorkflowId| roll_bytes(number, workflow.as_str().as_bytes());
    match call {
        Call::Start(request, _) => (by(1, &request.workflow_id), format!("start {}", request.workflow_id)),
        Call::Cancel(request, _) => {
            (by(2, &request.run.workflow_id), format!("cancel {}", request.run.workflow_id))
        }
        Call::Terminate(request, _) => {
            (by(3, &request.run.workflow_id), format!("terminate {}", request.run.workflow_id))
        }
        Call::Decide(request, _) => {
            (by(7, &request.run.workflow_id), format!("decide about {}", request.run.workflow_id))
        }
        Call::Breaker(request, _) => {
            (roll_bytes(8, request.activity.as_str().as_bytes()), format!("breaker of {}", request.activity))
        }
        Call::Describe(run, _) => (by(4, &run.workflow_id), format!("describe {}", run.workflow_id)),
        Call::History(run, _) => (by(5, &run.workflow_id), format!("history {}", run.workflow_id)),
        Call::Result(run, _) => (by(6, &run.workflow_id), format!("result {}", run.workflow_id)),
    }
}

/// An attempt, for people: the last digits of its run are enough to tell runs of one simulation apart.
pub(super) fn name(key: AttemptKey) -> String {
    format!("{}/{}#{}", short(key.run), key.item, key.attempt)
}

/// The last digits of a run id.
pub(super) fn short(run: steadfast_core::RunId) -> String {
    let text = run.to_string();
    text.get(text.len().saturating_sub(6)..).unwrap_or(&text).to_owned()
}
