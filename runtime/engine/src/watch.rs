//! What workflow code a shard's thread runs now, for the watchdog to see.
//!
//! Workflow code cannot be interrupted. What can be done about code that does not come back is to leave it its
//! thread: [`Watch::give_up`] decides that, and [`Watch::leave`] tells the code's thread should it ever return.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use steadfast_core::{RunId, ShardId};

/// Workflow code that uses more processor time than this in one piece is given up with its thread.
const CPU_MAX: Duration = Duration::from_secs(10);
/// The same for code that uses none: it waits for something outside. Far above what a busy machine can cause.
const ELAPSED_MAX: Duration = Duration::from_secs(60);
/// The processor time of another thread is read from a file, which is not done before this has passed.
pub(crate) const ELAPSED_CALM: Duration = Duration::from_secs(5);

/// How many threads an engine gives up. Each costs a thread, maybe a processor, and the memory of its runs.
pub const GIVEN_UP_MAX: usize = 4;

/// Whether an engine is fit to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Health {
    /// How many threads were left to workflow code that did not come back.
    pub given_up_threads: usize,
    /// Whether there is room for one more. An engine that is not healthy goes on with what it has, but the next
    /// such code stops its shards; the process should be replaced.
    pub is_healthy: bool,
}

impl Health {
    pub(crate) fn of(given_up_threads: usize) -> Self {
        Self { given_up_threads, is_healthy: given_up_threads < GIVEN_UP_MAX }
    }
}

/// What workflow code has used since it was entered.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Used {
    pub elapsed: Duration,
    /// `None` if it cannot be read.
    pub cpu: Option<Duration>,
}

/// What is to be done about running code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Fine,
    /// It uses the processor and does not end.
    Spins,
    /// It waits for something, and nobody else of its shards can go on.
    Hangs,
}

impl Verdict {
    /// For the reason that people read; `None` if all is well.
    pub(crate) fn text(self) -> Option<&'static str> {
        match self {
            Self::Fine => None,
            Self::Spins => Some("used over 10 s of processor time"),
            Self::Hangs => Some("did not come back within 60 s"),
        }
    }
}

/// Load alone must never condemn code: elapsed time counts only at its backstop.
pub(crate) fn verdict(used: Used) -> Verdict {
    if used.cpu.is_some_and(|cpu| cpu > CPU_MAX) {
        Verdict::Spins
    } else if used.elapsed > ELAPSED_MAX {
        Verdict::Hangs
    } else {
        Verdict::Fine
    }
}

/// One time that workflow code was entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spell {
    pub(crate) shard: ShardId,
    pub(crate) run: RunId,
    /// Tells the spells of a thread apart.
    pub(crate) number: u64,
    /// What the thread had used before; zero if that is not known.
    pub(crate) cpu_before: Duration,
}

#[derive(Debug, Default)]
struct State {
    running: Option<Spell>,
    spells: u64,
    is_given_up: bool,
}

/// What one thread runs.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// Held for one look or one change; nothing waits while it is.
    state: Mutex<State>,
    thread: OnceLock<rustix::thread::Pid>,
}

impl Watch {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The calling thread is the one that is watched.
    pub(crate) fn begin(&self) {
        // A watch is begun once.
        let _ = self.thread.set(rustix::thread::gettid());
    }

    /// Workflow code is about to run.
    pub(crate) fn enter(&self, shard: ShardId, run: RunId, cpu_before: Duration) {
        let mut state = self.state();
        state.spells += 1;
        state.running = Some(Spell { shard, run, number: state.spells, cpu_before });
    }

    /// The code came back. `false` if it was given up meanwhile: then this thread owns nothing any more.
    pub(crate) fn leave(&self) -> bool {
        let mut state = self.state();
        state.running = None;
        !state.is_given_up
    }

    /// What runs now.
    pub(crate) fn look(&self) -> Option<Spell> {
        self.state().running
    }

    /// Gives the thread up, if it still runs what it ran. From then on it touches nothing.
    pub(crate) fn give_up(&self, number: u64) -> bool {
        let mut state = self.state();
        let is_same = state.running.is_some_and(|spell| spell.number == number);
        state.is_given_up |= is_same;
        is_same
    }

    /// The processor time that the thread has used since `before`, if it can be read.
    pub(crate) fn cpu_since(&self, before: Duration) -> Option<Duration> {
        let thread = self.thread.get().filter(|_| !before.is_zero())?;
        let path = format!("/proc/self/task/{}/schedstat", thread.as_raw_nonzero());
        let text = std::fs::read_to_string(path).ok()?;
        let nanos: u64 = text.split_whitespace().next()?.parse().ok()?;
        Some(Duration::from_nanos(nanos).saturating_sub(before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(elapsed: u64, cpu: Option<u64>) -> Used {
        Used { elapsed: Duration::from_secs(elapsed), cpu: cpu.map(Duration::from_secs) }
    }

    #[test]
    fn only_the_processor_or_a_very_long_time_condemns() {
        assert_eq!(verdict(used(11, Some(11))), Verdict::Spins);
        assert_eq!(verdict(used(10, Some(10))), Verdict::Fine);
        assert_eq!(verdict(used(59, Some(3))), Verdict::Fine, "a machine under load");
        assert_eq!(verdict(used(59, None)), Verdict::Fine);
        assert_eq!(verdict(used(61, None)), Verdict::Hangs);
        assert_eq!(verdict(used(61, Some(0))), Verdict::Hangs);
    }

    #[test]
    fn a_thread_whose_code_came_back_is_not_given_up() {
        let watch = Watch::default();
        let run = RunId::from_bytes([1; 16]);
        watch.enter(ShardId(0), run, Duration::ZERO);
        let first = watch.look().unwrap();
        assert!(watch.leave());
        assert!(!watch.give_up(first.number));
        watch.enter(ShardId(0), run, Duration::ZERO);
        assert!(!watch.give_up(first.number), "it runs something else");
        assert!(watch.give_up(first.number + 1));
        assert!(!watch.leave());
    }

    #[test]
    fn the_processor_time_of_another_thread_can_be_read() {
        let watch = std::sync::Arc::new(Watch::default());
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let (begun, begins) = std::sync::mpsc::channel();
        let other = std::sync::Arc::clone(&watch);
        let thread = std::thread::spawn(move || {
            other.begin();
            let mut value = 1_u64;
            for step in 0..20_000_000_u64 {
                value = std::hint::black_box(value.wrapping_mul(step | 1));
            }
            begun.send(value).unwrap();
            let _ = ended.recv();
        });
        begins.recv().unwrap();
        let cpu = watch.cpu_since(Duration::from_nanos(1));
        assert!(cpu.is_none_or(|cpu| cpu > Duration::from_millis(1)), "{cpu:?}");
        assert_eq!(watch.cpu_since(Duration::ZERO), None, "what it had used before is not known");
        drop(end);
        thread.join().unwrap();
    }
}
