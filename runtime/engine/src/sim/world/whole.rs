//! Everything there is, and the order of things: trouble first, then calm, then the last look.

use std::collections::VecDeque;

use steadfast_core::{Namespace, RequestId, Timestamp};
use steadfast_store::{Commits, Group, MemoryStore};

use super::super::books::Books;
use super::super::dice::Dice;
use super::super::node::Node;
use super::super::outside::Outside;
use super::super::plan::{SimSabotage, Simulation};
use super::super::report::SimReport;
use super::super::time::world_now;
use super::super::trace::Trace;
use super::super::watched::WatchedStore;
use super::super::wish::Wish;
use super::bodies::{Beat, Ended};

pub(super) const SHARDS: u16 = 4;
const BEGINNING: Timestamp = Timestamp::from_micros(1_000_000_000);

/// Everything there is.
pub(in super::super) struct World {
    pub(super) plan: Simulation,
    pub(super) store: WatchedStore,
    pub(super) dice: Dice,
    pub(super) nodes: [Option<Node>; 2],
    pub(super) wishes: Vec<Wish>,
    pub(super) books: Books,
    pub(super) outside: Outside,
    pub(super) trace: Trace,
    pub(super) report: SimReport,
    pub(super) is_calm: bool,
    /// Groups whose sender is gone.
    pub(super) orphans: Vec<Group>,
    /// Ends that were told, so that they can be told again.
    pub(super) ended: VecDeque<Ended>,
    pub(super) beats: Vec<Beat>,
    pub(super) last_beat: u64,
    pub(super) is_full: bool,
}

impl World {
    pub(in super::super) fn new(mut plan: Simulation, trace: Trace) -> Self {
        let mut dice = Dice::new(plan.seed);
        #[expect(clippy::expect_used, reason = "the constant name is a valid one")]
        let namespace = Namespace::new("sim").expect("the name is valid");
        let starts = std::mem::take(&mut plan.starts);
        let wishes = starts
            .into_iter()
            .map(|mut request| {
                let own = RequestId::new(request.workflow_id.as_str()).ok();
                request.request_id = request.request_id.or(own);
                Wish::draw(request, &plan, &mut dice)
            })
            .collect();
        let has_no_fence = plan.sabotage == Some(SimSabotage::NoFence);
        Self {
            store: WatchedStore::new(MemoryStore::new(namespace, SHARDS, BEGINNING), has_no_fence),
            dice,
            nodes: [None, None],
            wishes,
            books: Books::new(&plan.definitions),
            outside: Outside::default(),
            trace,
            report: SimReport::default(),
            is_calm: false,
            orphans: Vec::new(),
            ended: VecDeque::new(),
            beats: Vec::new(),
            last_beat: 0,
            is_full: false,
            plan,
        }
    }

    pub(in super::super) fn report(&self) -> SimReport {
        let mut report = self.report.clone();
        report.counts.add(&self.books.counts);
        report.counts.groups = self.store.inner.stats().groups;
        for node in self.nodes.iter().flatten() {
            report.counts.add(&node.final_counts());
        }
        report.events.clone_from(&self.books.events);
        report.trace = self.trace.hash();
        report
    }

    pub(in super::super) fn told(&mut self) -> Vec<String> {
        self.trace.take_lines()
    }

    pub(in super::super) fn run(&mut self) -> Result<(), String> {
        for _ in 0..self.plan.chaos_actions {
            self.act()?;
        }
        self.begin_calm();
        for _ in 0..self.plan.calm_actions {
            let are_quiet = self.nodes.iter().flatten().all(Node::is_quiet);
            if are_quiet && self.wishes.iter().all(Wish::is_over) {
                break;
            }
            self.act()?;
        }
        self.last_look().map_err(|problem| {
            let nodes: Vec<String> = self.nodes.iter().flatten().map(Node::state).collect();
            format!("{problem}; at {}: {}", world_now(&self.store.inner), nodes.join(" and "))
        })
    }

    fn last_look(&self) -> Result<(), String> {
        for wish in &self.wishes {
            wish.check_over(&self.books)?;
        }
        self.books.check_all(&self.store.inner, &self.outside)?;
        match self.nodes.iter().flatten().map(Node::slots_in_use).sum::<usize>() {
            0 => Ok(()),
            left => Err(format!("{left} slots are in use although every run has ended")),
        }
    }
}
