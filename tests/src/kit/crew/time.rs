//! Time on a crew: moving it on, and engines that stand still meanwhile.

use std::time::Duration;

use steadfast::EngineClock as _;

use super::engines::Crew;
use crate::kit::eventually::eventually;

impl Crew {
    /// Moves all clocks on, the store's first. Those of frozen engines follow when they thaw.
    pub fn advance(&mut self, by: Duration) {
        self.time.advance(by);
        if let Some(memory) = &self.memory {
            memory.set_now(self.time.now());
        }
        for member in self.members.values_mut() {
            match &mut member.asleep {
                Some(asleep) => *asleep += by,
                None => member.clock.advance(by),
            }
        }
    }

    /// Moves all clocks on in steps of a sixth of the lease, and after each lets every engine that is not held renew its
    /// session, as it does when time passes by itself.
    ///
    /// # Errors
    ///
    /// If one does not.
    pub async fn pass(&mut self, time: Duration) -> anyhow::Result<()> {
        let end = self.now().after(time);
        while self.now() < end {
            self.advance((self.lease / 6).min(end.since(self.now())));
            let awake = self.members.iter().filter(|(_, member)| !member.gate.is_holding());
            let awake: Vec<&str> = awake.map(|(name, _)| *name).collect();
            let far = self.now().after(self.lease / 2);
            eventually("all sessions are renewed", async || {
                let rows = self.store.sessions()?;
                let is_far = |name: &&str| rows.iter().any(|row| row.name == *name && row.expires_at >= far);
                Ok(awake.iter().all(is_far))
            })
            .await?;
        }
        Ok(())
    }

    /// Stops an engine as SIGSTOP stops a process: none of its calls reach the store, and its clock is not read.
    pub fn freeze(&mut self, name: &str) {
        self.member(name).gate.freeze();
        if let Some(member) = self.members.get_mut(name) {
            member.asleep = Some(Duration::ZERO);
        }
    }

    /// Lets a frozen engine go on: its clock has gone on meanwhile, then its calls pass.
    pub fn thaw(&mut self, name: &str) {
        self.wake(name);
        self.member(name).gate.release();
    }

    /// The first half of [`thaw`](Crew::thaw): the clock alone. The gate holds what it held.
    pub fn wake(&mut self, name: &str) {
        if let Some(member) = self.members.get_mut(name)
            && let Some(asleep) = member.asleep.take()
        {
            member.clock.advance(asleep);
        }
    }
}
