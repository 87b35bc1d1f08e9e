//! What bodies reach outside the process. Activities are plain functions, so it is found through a static.

use std::io;
use std::sync::{Arc, OnceLock};

use tour_booking::service::client::BookingClient;

use super::hook::Hook;
use crate::crash::outside::{Answer, Call, LedgerClient};
use crate::crash::phase::Trace;
use crate::crash::point::CALLED;

/// The outside world, and the file of marks.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) ledger: LedgerClient,
    pub(crate) booking: BookingClient,
    pub(crate) trace: &'static Trace,
    pub(crate) hook: Arc<Hook>,
}

impl World {
    /// Tells the ledger that a body began.
    pub(crate) async fn call(&self, call: Call) -> io::Result<Answer> {
        let answer = self.ledger.call(call).await?;
        self.hook.at(CALLED);
        Ok(answer)
    }
}

static WORLD: OnceLock<World> = OnceLock::new();

/// Makes the world known to all bodies, once.
pub(crate) fn set_world(world: World) {
    // A process is one worker with one world: a second call would change nothing.
    drop(WORLD.set(world));
}

/// The world of this process. There is none in the parent, which runs no bodies.
pub(crate) fn world() -> Option<&'static World> {
    WORLD.get()
}
