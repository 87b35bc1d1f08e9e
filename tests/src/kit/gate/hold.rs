//! Calls that wait at a gate.

use super::keeper::Gate;

/// Whether calls of a name wait.
type Rule = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// Which calls wait, and which do now.
#[derive(Default)]
pub(super) struct Hold {
    which: Option<Rule>,
    /// Their names.
    waiting: Vec<&'static str>,
}

impl Hold {
    fn holds(&self, call: &str) -> bool {
        self.which.as_ref().is_some_and(|which| which(call))
    }
}

impl Gate {
    /// Lets no commit through until [`release`](Gate::release).
    pub fn hold(&self) {
        self.hold_calls(|call| call == "commit");
    }

    /// Lets no call through, as if the process stood still.
    pub fn freeze(&self) {
        self.hold_calls(|_| true);
    }

    /// Lets no call through whose name in the contract is one of these, until [`release`](Gate::release) or until
    /// others are held.
    pub fn hold_calls(&self, which: impl Fn(&str) -> bool + Send + Sync + 'static) {
        self.log.change(|log| log.hold.which = Some(Box::new(which)));
    }

    /// Whether any call may not pass.
    #[must_use]
    pub fn is_holding(&self) -> bool {
        self.log.read(|log| log.hold.which.is_some())
    }

    /// Waits until a call of this name stands at the gate and may not pass.
    ///
    /// # Errors
    ///
    /// If that does not happen.
    pub async fn until_held(&self, call: &str) -> anyhow::Result<()> {
        self.log.until(&format!("{call} is held"), |log| log.hold.waiting.contains(&call)).await
    }

    /// Lets all calls through again.
    pub fn release(&self) {
        self.log.change(|log| log.hold.which = None);
    }

    /// Waits as long as calls of this name are held.
    pub(super) fn wait(&self, name: &'static str) {
        if !self.log.read(|log| log.hold.holds(name)) {
            return;
        }
        self.log.change(|log| log.hold.waiting.push(name));
        self.log.block_until(|log| !log.hold.holds(name));
        self.log.change(|log| {
            let at = log.hold.waiting.iter().position(|waiting| *waiting == name);
            at.map(|at| log.hold.waiting.swap_remove(at));
        });
    }
}
