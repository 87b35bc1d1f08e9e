//! An engine that is shut down in order, and another takes its shards over.

use super::engine::{Node, Running};

/// How far the shutdown is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Leaving {
    /// Bodies are told to hand back.
    hands_back: bool,
    /// How often it was looked at.
    looks: u32,
}

/// After so many looks bodies hand back, and after so many the engine ends whatever is unfinished.
const LOOKS_GRACE: u32 = 8;
const LOOKS_MAX: u32 = 80;

impl Node {
    pub(in super::super) fn is_leaving(&self) -> bool {
        self.leaving.is_some()
    }

    /// The engine takes nothing more.
    pub(in super::super) fn leave(&mut self) {
        if self.leaving.is_none() {
            self.shared.stop();
            self.leaving = Some(Leaving { hands_back: false, looks: 0 });
        }
    }

    /// Goes on with the shutdown. Gives the bodies that hand back, and says whether the engine has ended.
    pub(in super::super) fn go_on_leaving(&mut self) -> (Vec<Running>, bool) {
        let Some(leaving) = &mut self.leaving else { return (Vec::new(), false) };
        leaving.looks += 1;
        let (looks, hands_back) = (leaving.looks, leaving.hands_back);
        if !hands_back && looks < LOOKS_GRACE {
            return (Vec::new(), false);
        }
        leaving.hands_back = true;
        let back: Vec<Running> = std::mem::take(&mut self.running).into_values().collect();
        if looks >= LOOKS_MAX || (back.is_empty() && self.is_quiet()) {
            self.keeper.end(&*self.shared.store);
            return (back, true);
        }
        (back, false)
    }
}
