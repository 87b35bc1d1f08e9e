//! What happens at the named points of the engine and the store: now and then a thread hesitates there, and once the process ends.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process};

use crate::crash::assignment::{Assignment, PointKill};
use crate::crash::dice::Dice;
use crate::crash::phase::Trace;
use crate::crash::point::Point;

/// How many of a thousand visits hesitate, which makes rare interleavings less rare.
const HESITATE_PERMILLE: u64 = 4;
const HESITATE_MAX_MICROS: u64 = 2_000;

/// The worker's part in the engine.
#[derive(Debug)]
pub(crate) struct Hook {
    trace: &'static Trace,
    kill: Option<PointKill>,
    hits: AtomicU64,
    /// Held for one draw.
    dice: Mutex<Dice>,
}

impl Hook {
    pub(crate) fn new(trace: &'static Trace, assignment: &Assignment) -> Self {
        let dice = Mutex::new(Dice::new(!assignment.seed, u64::from(assignment.round)));
        Self { trace, kill: assignment.kill.clone(), hits: AtomicU64::new(0), dice }
    }

    /// A thread is at this point.
    pub(crate) fn at(&self, name: &str) {
        let Some(point) = Point::of(name) else { return };
        self.trace.point(point);
        match &self.kill {
            Some(kill) if kill.point == name && self.hits.fetch_add(1, Ordering::Relaxed) + 1 == kill.hit => {
                std::thread::sleep(Duration::from_micros(kill.stall_micros));
                self.trace.kill(point);
                end_process();
            }
            _ => self.hesitate(),
        }
    }

    fn hesitate(&self) {
        let mut dice = self.dice.lock().unwrap_or_else(PoisonError::into_inner);
        if dice.permille() < HESITATE_PERMILLE {
            let micros = dice.below(HESITATE_MAX_MICROS);
            drop(dice);
            std::thread::sleep(Duration::from_micros(micros));
        }
    }
}

/// As `kill -9` from outside: nothing is written, closed or dropped.
fn end_process() -> ! {
    loop {
        let _ = kill_process(getpid(), Signal::KILL);
        std::thread::sleep(Duration::from_secs(1));
    }
}
