//! What happened in a simulation, so that a test can see that something did.

use std::collections::BTreeMap;
use std::fmt;

use steadfast_store::faults::CallKind;

macro_rules! counts {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// How often what happened.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct SimCounts {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl SimCounts {
            /// All counts with their names.
            #[must_use]
            pub fn each(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($name), self.$name),)*]
            }

            /// Adds those of another simulation.
            pub fn add(&mut self, other: &Self) {
                $(self.$name += other.$name;)*
            }
        }
    };
}

counts! {
    /// Actions taken.
    actions,
    /// Groups of which something was stored.
    groups,
    /// Attempts begun.
    attempts,
    /// Engines that died at a call of the store or between two.
    crashes,
    /// Shards that another session had before.
    takeovers,
    /// Engines that slept longer than their lease.
    naps,
    /// Engines that were shut down in order.
    handovers,
    /// Sessions that were ended by somebody else in the middle of a call of the store.
    lost_sessions,
    /// Commits that were refused because the shard had another owner.
    lost_fences,
    /// Commits that failed or were refused, for whatever reason.
    failed_commits,
    /// Writes that reached the store after the engine that sent them had died.
    orphan_writes,
    /// Writes that other things happened before the answer of.
    slow_commits,
    /// Calls that were late.
    delays,
    /// Commits that the store was given twice.
    repeated_commits,
    /// Times in which no call of an engine reached the store.
    outages,
    /// Times in which the store had no room for new runs.
    full_stores,
    /// Ends of attempts that were told a second time, to either engine.
    repeated_ends,
    /// Ends of attempts that had been told to stop.
    late_ends,
    /// Heartbeats of attempts that were over.
    late_beats,
    /// Heartbeats of attempts that ran.
    beats,
    /// Times at which a wall clock was set.
    clock_steps,
    /// Threads that were given up to workflow code.
    successions,
    /// Bodies that were told to stop before they were over.
    stopped,
    /// Calls of clients that were sent again.
    repeated_calls,
    /// Cancels that were acknowledged.
    cancels,
    /// Terminations that were acknowledged.
    terminations,
    /// Moments at which slots were compared with the grants in the store.
    slot_checks,
    /// Undos that succeeded.
    undone,
    /// Undos that were given up.
    failed_undos,
    /// Activities that were given up.
    dead_letters,
}

/// What happened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SimReport {
    /// How often.
    pub counts: SimCounts,
    /// Events committed, by their kind.
    pub events: BTreeMap<&'static str, u64>,
    /// At which calls of the store engines died, and whether before or after the call had its effect.
    pub deaths: BTreeMap<(CallKind, DeathMoment), u64>,
    /// Rolled over every action, message, commit and effect: two equal runs have the same.
    pub trace: u64,
}

/// Where in a call of the store an engine died.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeathMoment {
    /// Before it had its effect.
    Before,
    /// After that, and before the answer was seen.
    After,
}

impl SimReport {
    /// Adds what happened in another simulation. The traces are rolled together, so the order counts.
    pub fn add(&mut self, other: &Self) {
        self.counts.add(&other.counts);
        for (kind, count) in &other.events {
            *self.events.entry(kind).or_default() += count;
        }
        for (place, count) in &other.deaths {
            *self.deaths.entry(*place).or_default() += count;
        }
        self.trace = super::digest::roll(self.trace, other.trace);
    }

    /// What should have happened in many simulations and did not.
    #[must_use]
    pub fn gaps(&self) -> Vec<String> {
        let counts = self.counts.each().into_iter().filter(|(_, count)| *count == 0);
        let mut gaps: Vec<String> = counts.map(|(name, _)| name.to_owned()).collect();
        let missing = super::cast::EVENTS.iter().filter(|name| !self.events.contains_key(**name));
        gaps.extend(missing.map(|name| format!("an event {name}")));
        for kind in super::fuse::CALLS {
            for moment in [DeathMoment::Before, DeathMoment::After] {
                if !self.deaths.contains_key(&(*kind, moment)) {
                    gaps.push(format!("a death at {kind:?}, {moment:?}"));
                }
            }
        }
        gaps
    }
}

impl fmt::Display for SimReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, count) in self.counts.each() {
            writeln!(f, "  {name:<18}{count:>12}")?;
        }
        writeln!(f, "events")?;
        for (name, count) in &self.events {
            writeln!(f, "  {name:<26}{count:>10}")?;
        }
        writeln!(f, "deaths around calls of the store (before, after its effect)")?;
        for kind in super::fuse::CALLS {
            let of = |moment| self.deaths.get(&(*kind, moment)).copied().unwrap_or(0);
            let (before, after) = (of(DeathMoment::Before), of(DeathMoment::After));
            writeln!(f, "  {:<26}{before:>10}{after:>10}", format!("{kind:?}"))?;
        }
        write!(f, "trace {:016x}", self.trace)
    }
}
