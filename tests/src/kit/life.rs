//! The life of one engine, from its opening to its end.

use std::sync::Arc;

use super::board::Board;

/// Known to everything around an engine, so that at its end all of it stops at the same moment, as if a process had
/// died. Clones are the same life.
#[derive(Debug, Clone)]
pub struct Life {
    number: u32,
    is_over: Arc<Board<bool>>,
}

impl Life {
    pub(super) fn new(number: u32) -> Self {
        Self { number, is_over: Arc::new(Board::new(false)) }
    }

    /// 1 for the first engine of a bed, 2 for the one after its first kill.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Whether the engine is dead.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_over.read(|is_over| *is_over)
    }

    pub(super) fn end(&self) {
        self.is_over.change(|is_over| *is_over = true);
    }

    /// Waits for the end; fails if it takes too long.
    ///
    /// # Errors
    ///
    /// If the engine is still alive after a while.
    pub async fn over(&self) -> anyhow::Result<()> {
        self.is_over.until("the engine is cut off", |is_over| *is_over).await
    }

    /// Waits for the end, however late.
    pub(super) async fn end_of(&self) {
        self.is_over.until_so(|is_over| *is_over).await;
    }
}
