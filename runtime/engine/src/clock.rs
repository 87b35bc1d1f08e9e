//! Engine time: what the store's clock said at opening, plus what has passed since. It never goes back and does not
//! follow steps of the wall clock.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};
use steadfast_core::Timestamp;
use steadfast_store::{Store, StoreError};

/// Where an engine reads the time. Durations run on [`EngineClock::now`], points of wall-clock time on
/// [`EngineClock::wall`].
pub trait EngineClock: Send + Sync + 'static {
    /// Engine time. It never goes back.
    fn now(&self) -> Timestamp;

    /// Wall-clock time. It may be set to anything at any moment.
    fn wall(&self) -> Timestamp;

    /// How long a thread may sleep until engine time reaches `until`; `None` if only a wake can tell.
    fn wait_until(&self, until: Timestamp) -> Option<Duration>;

    /// Calls `wake` whenever the time jumps; threads that sleep look at the time again then.
    fn subscribe(&self, wake: Box<dyn Fn() + Send + Sync>);

    /// The processor time that the calling thread has used; zero if that is not known.
    fn thread_cpu(&self) -> Duration {
        Duration::ZERO
    }
}

/// The clock of production.
pub(crate) struct SystemClock {
    base: Timestamp,
    opened: Duration,
}

impl SystemClock {
    /// A clock that starts at the store's time, and never below the last time that was stored.
    pub(crate) fn open(store: &dyn Store) -> Result<Self, StoreError> {
        let base = store.now()?.max(store.last_time()?);
        Ok(Self { base, opened: read(ClockId::Boottime) })
    }
}

fn read(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or(0);
    Duration::new(seconds, nanoseconds)
}

impl EngineClock for SystemClock {
    fn now(&self) -> Timestamp {
        self.base.after(read(ClockId::Boottime).saturating_sub(self.opened))
    }

    fn wall(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
    }

    fn wait_until(&self, until: Timestamp) -> Option<Duration> {
        Some(until.since(self.now()))
    }

    fn subscribe(&self, _wake: Box<dyn Fn() + Send + Sync>) {}

    fn thread_cpu(&self) -> Duration {
        read(ClockId::ThreadCPUTime)
    }
}

struct Hands {
    now: Timestamp,
    wall: Timestamp,
}

/// A clock that stands still until somebody moves it. For tests.
pub struct ManualClock {
    /// Held for one reading or one move; nothing waits while it is.
    hands: Mutex<Hands>,
    /// Called after a move, without `hands` held.
    wakes: Mutex<Vec<Box<dyn Fn() + Send + Sync>>>,
}

impl fmt::Debug for ManualClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManualClock").field("now", &self.now()).finish_non_exhaustive()
    }
}

impl ManualClock {
    /// A clock that stands at `now`, engine time and wall clock alike.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        Self { hands: Mutex::new(Hands { now, wall: now }), wakes: Mutex::new(Vec::new()) }
    }

    /// Moves both hands on.
    pub fn advance(&self, by: Duration) {
        self.change(|hands| {
            hands.now = hands.now.after(by);
            hands.wall = hands.wall.after(by);
        });
    }

    /// Moves both hands on to `to`, if that is later.
    pub fn advance_to(&self, to: Timestamp) {
        let by = to.since(self.now());
        self.advance(by);
    }

    /// Sets the wall clock alone, forward or back.
    pub fn set_wall(&self, wall: Timestamp) {
        self.change(|hands| hands.wall = wall);
    }

    fn change(&self, change: impl FnOnce(&mut Hands)) {
        change(&mut self.hands.lock().unwrap_or_else(PoisonError::into_inner));
        for wake in self.wakes.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            wake();
        }
    }
}

impl EngineClock for ManualClock {
    fn now(&self) -> Timestamp {
        self.hands.lock().unwrap_or_else(PoisonError::into_inner).now
    }

    fn wall(&self) -> Timestamp {
        self.hands.lock().unwrap_or_else(PoisonError::into_inner).wall
    }

    fn wait_until(&self, until: Timestamp) -> Option<Duration> {
        (until <= self.now()).then_some(Duration::ZERO)
    }

    fn subscribe(&self, wake: Box<dyn Fn() + Send + Sync>) {
        self.wakes.lock().unwrap_or_else(PoisonError::into_inner).push(wake);
    }
}
