//! A worker started or stopped.

use steadfast_core::RunId;
use steadfast_store::StoreError;

use super::load::Opened;
use super::machine::{Phase, Shard};

impl Shard {
    /// What could not be activated or run may be possible now.
    pub(super) fn workers_changed(&mut self) -> Result<(), StoreError> {
        if self.phase == Phase::Idle && !self.shared.registry().is_empty() {
            self.begin_recovery();
        }
        if matches!(self.phase, Phase::Broken { .. }) {
            return Ok(());
        }
        // Code that is replaced must not go on from where the old code stood.
        for run in self.cache.iter_mut() {
            if run.in_flight == 0 {
                run.executor = None;
            } else {
                run.is_stale = true;
            }
        }
        self.change_marks()?;
        let blocked: Vec<RunId> = self.blocked.keys().copied().collect();
        for run in blocked {
            self.try_blocked(run)?;
        }
        Ok(())
    }

    fn change_marks(&mut self) -> Result<(), StoreError> {
        let changes = self.shared.dispatcher().marks_to_change(self.id);
        for (task, reason) in changes {
            let Opened::Run(mut work) = self.open(task.run)? else { continue };
            self.mark(&mut work, task.item, reason);
            self.submit(*work);
        }
        Ok(())
    }

    fn try_blocked(&mut self, run: RunId) -> Result<(), StoreError> {
        let Opened::Run(mut work) = self.open(run)? else { return Ok(()) };
        if work.run.is_closed() || work.run.fields.blocked.is_none() {
            self.blocked.remove(&run);
        } else {
            self.unblock(&mut work)?;
        }
        self.submit(*work);
        Ok(())
    }
}
