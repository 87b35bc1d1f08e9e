//! A run of steps in order: each with a heading and the time it took; the first failure ends the run.

use std::time::Instant;

use anyhow::Context;

use crate::console;

/// The steps done so far.
#[derive(Debug)]
pub(crate) struct Steps {
    begun: Instant,
    done_count: usize,
}

impl Steps {
    pub(crate) fn new() -> Self {
        Self { begun: Instant::now(), done_count: 0 }
    }

    /// Does one step.
    ///
    /// # Errors
    /// The step's own error, with the step's title in front.
    pub(crate) fn step(
        &mut self,
        title: &str,
        work: impl FnOnce() -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        console::heading(self.done_count + 1, title);
        let begun = Instant::now();
        work().with_context(|| {
            format!(
                "step {} ({title}) failed after {}",
                self.done_count + 1,
                console::seconds(begun.elapsed())
            )
        })?;
        console::finished(title, begun.elapsed());
        self.done_count += 1;
        Ok(())
    }

    /// Says how many steps there were and what they took.
    pub(crate) fn finish(&self) {
        console::finished(&format!("all {} steps", self.done_count), self.begun.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use super::Steps;

    #[test]
    fn a_step_that_fails_names_itself_and_is_not_counted() {
        let mut steps = Steps::new();
        steps.step("first", || Ok(())).expect("it does nothing");
        let error = steps.step("second", || anyhow::bail!("no luck")).expect_err("it fails");
        assert!(format!("{error:#}").starts_with("step 2 (second) failed after "), "{error:#}");
        assert!(format!("{error:#}").ends_with(": no luck"), "{error:#}");
        assert_eq!(steps.done_count, 1);
    }
}
