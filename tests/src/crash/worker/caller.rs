//! Callers: each wants one workflow after the other, and logs what the engine acknowledges.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use steadfast::Client;
use tokio::sync::watch;
use tokio::time::sleep;

use super::client::{self, CancelAnswer, EndAnswer};
use super::hook::Hook;
use crate::crash::assignment::{Assignment, OpenCase};
use crate::crash::case::Case;
use crate::crash::line::Line;
use crate::crash::point::ACKNOWLEDGED;

/// All callers of this process.
#[derive(Debug)]
pub(crate) struct Callers {
    pub(super) client: Client,
    hook: Arc<Hook>,
    seed: u64,
    /// The last worker starts nothing new.
    is_last: bool,
    next: AtomicU64,
    /// How many callers have their first workflow in flight.
    started: watch::Sender<usize>,
    /// Workflows in flight. Held for one look or one change.
    in_flight: Mutex<BTreeSet<u64>>,
}

impl Callers {
    pub(crate) fn new(client: Client, hook: Arc<Hook>, assignment: &Assignment) -> Self {
        Self {
            client,
            hook,
            seed: assignment.seed,
            is_last: assignment.runs.is_some(),
            next: AtomicU64::new(assignment.next),
            started: watch::Sender::new(0),
            in_flight: Mutex::default(),
        }
    }

    /// A case that nobody asked for yet.
    pub(crate) fn new_case(&self) -> OpenCase {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        OpenCase { number, is_started: false, is_cancel_settled: false }
    }

    /// How many callers have their first workflow in flight.
    pub(crate) fn started(&self) -> watch::Receiver<usize> {
        self.started.subscribe()
    }

    /// The cases in flight.
    pub(crate) fn in_flight(&self) -> Vec<Case> {
        let numbers = self.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        numbers.iter().map(|number| Case::new(self.seed, *number)).collect()
    }

    /// Serves one case after the other.
    pub(crate) async fn serve(self: Arc<Self>, mut next: OpenCase) {
        let mut is_first = true;
        loop {
            let case = Case::new(self.seed, next.number);
            let is_started = next.is_started || self.start(&case).await;
            if std::mem::take(&mut is_first) {
                self.started.send_modify(|count| *count += 1);
            }
            if is_started {
                self.set_in_flight(case.number, true);
                self.see_to_its_end(&case, next.is_cancel_settled).await;
                self.set_in_flight(case.number, false);
            }
            if self.is_last {
                return;
            }
            next = self.new_case();
        }
    }

    async fn start(&self, case: &Case) -> bool {
        let number = case.number;
        Line::Trying { number }.say();
        match client::start(&self.client, case).await {
            Ok(run) => {
                self.acknowledged(&Line::Started { number, run });
                true
            }
            Err(what) => {
                Line::Failed { number, what }.say();
                false
            }
        }
    }

    async fn see_to_its_end(&self, case: &Case, is_cancel_settled: bool) {
        let number = case.number;
        let result = client::result(&self.client, case);
        tokio::pin!(result);
        let answer = match case.cancel_after.filter(|_| !is_cancel_settled) {
            None => result.await,
            Some(after) => {
                let cancel = async {
                    sleep(after).await;
                    self.cancel(case).await;
                };
                tokio::pin!(cancel);
                tokio::select! {
                    answer = &mut result => answer,
                    () = &mut cancel => result.await,
                }
            }
        };
        match answer {
            EndAnswer::Ended(outcome) => self.acknowledged(&Line::Ended { number, outcome }),
            EndAnswer::Missing(what) => Line::Missing { number, what }.say(),
            EndAnswer::Failed(what) => Line::Failed { number, what }.say(),
        }
    }

    async fn cancel(&self, case: &Case) {
        let number = case.number;
        match client::cancel(&self.client, case).await {
            CancelAnswer::Accepted => self.acknowledged(&Line::Cancelled { number }),
            CancelAnswer::Closed => Line::CancelRefused { number }.say(),
            CancelAnswer::Missing(what) => Line::Missing { number, what }.say(),
            CancelAnswer::Failed(what) => Line::Failed { number, what }.say(),
        }
    }

    fn acknowledged(&self, line: &Line) {
        line.say();
        self.hook.at(ACKNOWLEDGED);
    }

    fn set_in_flight(&self, number: u64, is_in_flight: bool) {
        let mut numbers = self.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        if is_in_flight {
            numbers.insert(number);
        } else {
            numbers.remove(&number);
        }
    }
}
