//! A door that bodies wait at until the test opens it.

use std::sync::Arc;

use super::board::Board;

/// Closed at first; once open it stays so. Clones are the same door.
#[derive(Debug, Clone)]
pub struct Door(Arc<Board<bool>>);

impl Default for Door {
    fn default() -> Self {
        Self::new()
    }
}

impl Door {
    /// A closed door.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(Board::new(false)))
    }

    /// Lets everybody through, now and later.
    pub fn open(&self) {
        self.0.change(|is_open| *is_open = true);
    }

    /// Waits until it is open.
    pub async fn pass(&self) {
        self.0.until_so(|is_open| *is_open).await;
    }
}
