//! Which calls go wrong, and how.

use std::collections::BTreeMap;
use std::fmt;

use crate::dice::Dice;

macro_rules! call_kinds {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The calls of a store that can go wrong.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum CallKind {
            $($(#[$doc])* $name,)*
        }

        impl CallKind {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),*];
        }
    };
}

call_kinds! {
    /// `Commits::commit`.
    Commit,
    /// `Commits::last_time`.
    LastTime,
    /// `Commits::room`.
    Room,
    /// `Sessions::now`.
    Now,
    /// `Sessions::open_session`.
    OpenSession,
    /// `Sessions::renew_session`.
    RenewSession,
    /// `Sessions::end_session`.
    EndSession,
    /// `Sessions::end_session_if_lapsed`.
    EndSessionIfLapsed,
    /// `Sessions::sessions`.
    Sessions,
    /// `Sessions::claim_shard`.
    ClaimShard,
    /// `Sessions::release_shard`.
    ReleaseShard,
    /// `Sessions::shards`.
    Shards,
    /// `Runs::head`.
    Head,
    /// `Runs::history`.
    History,
    /// `Runs::items`.
    Items,
    /// `Runs::current`.
    Current,
    /// `Requests::request`.
    Request,
    /// `Due::due`.
    Due,
    /// `Due::next_due`.
    NextDue,
    /// `Messages::inbox`.
    Inbox,
    /// `Messages::mail`.
    Mail,
    /// `Tasks::claim_tasks`.
    ClaimTasks,
    /// `Tasks::release_task`.
    ReleaseTask,
    /// `Tasks::tasks`.
    Tasks,
    /// `Visibility::list`.
    List,
    /// `DeadLetters::dead_letters`.
    DeadLetters,
    /// `DeadLetters::dead_letter`.
    DeadLetter,
    /// `Breakers::breakers`.
    Breakers,
}

/// How a call goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It fails and has no effect.
    FailBefore,
    /// It fails after it had its effect.
    FailAfter,
    /// It is late: the hook is called before it happens.
    Delay,
    /// It happens twice; the caller sees the first answer.
    Duplicate,
}

/// How often calls go wrong, each in percent. Their sum is at most 100.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FaultRates {
    /// [`Fault::FailBefore`].
    pub fail_before: u8,
    /// [`Fault::FailAfter`].
    pub fail_after: u8,
    /// [`Fault::Delay`].
    pub delay: u8,
    /// [`Fault::Duplicate`], of commits only: opening two sessions is no repetition of one call.
    pub duplicate: u8,
}

/// What goes wrong. Its text form names everything that repeats it.
///
/// ```
/// use steadfast_store::faults::{CallKind, Fault, FaultPlan, FaultRates};
///
/// let third_commit = FaultPlan::none().at(CallKind::Commit, 3, Fault::FailAfter);
/// let rates = FaultRates { fail_before: 5, fail_after: 5, ..FaultRates::default() };
/// let chances = FaultPlan::seeded(42, rates).only(&[CallKind::Commit]);
/// assert_eq!(third_commit.to_string(), "Commit #3 FailAfter");
/// assert!(chances.to_string().starts_with("seed 42"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FaultPlan {
    chances: Option<(u64, FaultRates)>,
    only: Option<Vec<CallKind>>,
    at: BTreeMap<(CallKind, u64), Fault>,
}

impl FaultPlan {
    /// Nothing goes wrong.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Calls go wrong by chance, the same ones for the same seed.
    #[must_use]
    pub fn seeded(seed: u64, rates: FaultRates) -> Self {
        Self { chances: Some((seed, rates)), ..Self::default() }
    }

    /// Chances apply to these kinds only.
    #[must_use]
    pub fn only(mut self, kinds: &[CallKind]) -> Self {
        self.only = Some(kinds.to_vec());
        self
    }

    /// The `nth` call of a kind, counted from 1, goes wrong for certain.
    #[must_use]
    pub fn at(mut self, kind: CallKind, nth: u64, fault: Fault) -> Self {
        self.at.insert((kind, nth), fault);
        self
    }

    /// What happens to the `nth` call of a kind.
    #[must_use]
    pub fn fault(&self, kind: CallKind, nth: u64) -> Option<Fault> {
        if let Some(fault) = self.at.get(&(kind, nth)) {
            return Some(*fault);
        }
        let (seed, rates) = self.chances?;
        if self.only.as_ref().is_some_and(|only| !only.contains(&kind)) {
            return None;
        }
        let spread =
            (kind as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ nth.wrapping_mul(0xd1b5_4a32_d192_ed03);
        let mut roll = Dice::new(seed ^ spread).below(100);
        let duplicate = if kind == CallKind::Commit { rates.duplicate } else { 0 };
        let faults = [
            (Fault::FailBefore, rates.fail_before),
            (Fault::FailAfter, rates.fail_after),
            (Fault::Delay, rates.delay),
            (Fault::Duplicate, duplicate),
        ];
        for (fault, rate) in faults {
            match roll.checked_sub(u64::from(rate)) {
                Some(rest) => roll = rest,
                None => return Some(fault),
            }
        }
        None
    }
}

impl fmt::Display for FaultPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some((seed, rates)) = self.chances {
            let FaultRates { fail_before, fail_after, delay, duplicate } = rates;
            parts.push(format!(
                "seed {seed} (fail before {fail_before} %, fail after {fail_after} %, delay {delay} %, \
                 duplicate {duplicate} %)"
            ));
        }
        if let Some(only) = &self.only {
            parts.push(format!("only {only:?}"));
        }
        parts.extend(self.at.iter().map(|((kind, nth), fault)| format!("{kind:?} #{nth} {fault:?}")));
        if parts.is_empty() { f.write_str("no faults") } else { f.write_str(&parts.join(", ")) }
    }
}
