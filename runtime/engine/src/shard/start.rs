//! Starting a run.

use steadfast_core::history::CancelCause;
use steadfast_core::{EventId, RequestId, RunId};
use steadfast_store::{CurrentRow, RequestRow, Room, RunHead, RunStatus, StoreError, Write};

use super::cancel::used_for_another;
use super::load::Opened;
use super::machine::Shard;
use super::run::LiveRun;
use super::work::{Queued, Work};
use crate::client::single::SingleActivity;
use crate::client::{IdConflictPolicy, IdReusePolicy, StartRequest, Started};
use crate::error::{StartError, Unavailable};
use crate::head::{Fields, MailBody, RequestOutcome, RunDeadline, StartRecord};
use crate::message::{Answer, Effect, Reply};

/// What a start comes to before anything is written.
enum Decision {
    /// The request is known; its transition may still be in flight.
    Known(Option<u64>, Started),
    /// With the ticket of the transition that it refers to, if that may still be in flight.
    Refused(Option<u64>, StartError),
    /// A run is open and is to be returned.
    UseExisting(RunId),
    /// A new run; an open one is terminated first.
    New { replaces: Option<RunId> },
}

impl Shard {
    pub(super) fn start(&mut self, request: StartRequest, reply: Reply<Started, StartError>) {
        let Some(request_id) = request.request_id.clone() else {
            drop(reply.send(Err(Unavailable::Invalid("the request has no id".to_owned()).into())));
            return;
        };
        let decided = self.decide(&request, &request_id);
        let outcome = match decided {
            Ok(Decision::Known(ticket, started)) => {
                self.after(ticket.unwrap_or(0), Effect::Answer(Answer::new(reply, Ok(started))));
                return;
            }
            Ok(Decision::Refused(ticket, error)) => {
                self.after(ticket.unwrap_or(0), Effect::Answer(Answer::new(reply, Err(error))));
                return;
            }
            Ok(Decision::UseExisting(run)) => self.use_existing(run, &request, &request_id, reply),
            Ok(Decision::New { replaces }) => self.start_new(request, request_id, replaces, reply),
            Err(error) => {
                drop(reply.send(Err(Unavailable::from(&error).into())));
                Err(error)
            }
        };
        self.check(outcome);
    }

    /// A store that failed in the middle of a call takes the shard's memory with it.
    pub(super) fn check(&mut self, outcome: Result<(), StoreError>) {
        if let Err(error) = outcome
            && error.kind() != steadfast_store::StoreErrorKind::Corrupt
        {
            self.break_off(&error);
        }
    }

    /// The first outcome of a request, with the ticket of its transition if that is in flight.
    pub(super) fn known(
        &self,
        workflow: &steadfast_core::WorkflowId,
        request: &RequestId,
    ) -> Result<Option<(Option<u64>, RequestOutcome)>, StoreError> {
        let (ticket, row) = match self.ledger.request(workflow, request) {
            Some((ticket, row)) => (Some(*ticket), row.clone()),
            None => match self.shared.store.request(self.id, workflow, request)? {
                Some(row) => (None, row),
                None => return Ok(None),
            },
        };
        let outcome = steadfast_core::codec::decode(&row.outcome)
            .map_err(|error| StoreError::corrupt(format!("request `{request}`"), error))?;
        Ok(Some((ticket, outcome)))
    }

    fn decide(&self, request: &StartRequest, request_id: &RequestId) -> Result<Decision, StoreError> {
        match self.known(&request.workflow_id, request_id)? {
            Some((ticket, RequestOutcome::Started(started))) => return Ok(Decision::Known(ticket, started)),
            Some((
                _,
                RequestOutcome::Cancelled | RequestOutcome::Terminated | RequestOutcome::Decided(_),
            )) => {
                let why = used_for_another(request_id);
                return Ok(Decision::Refused(None, Unavailable::Invalid(why).into()));
            }
            None => {}
        }
        let limit = self.shared.config.limits.payload_bytes_max;
        let what = || format!("input of workflow `{}`", request.workflow_type);
        if !SingleActivity::is_named(&request.workflow_type)
            && let Err(error) = request.input.check_size(limit, what)
        {
            return Ok(Decision::Refused(None, error.into()));
        }
        let (ticket, current) = self.current(&request.workflow_id)?.unzip();
        // A run that is not durable yet may never come to be: nobody is told of it before.
        let ticket = ticket.flatten();
        let taken = |row: &CurrentRow| {
            let workflow_id = request.workflow_id.clone();
            Decision::Refused(ticket, StartError::AlreadyStarted { workflow_id, run_id: row.run_id })
        };
        let replaces = match current {
            Some(row) if row.status.is_open() => match request.id_conflict {
                IdConflictPolicy::Fail => return Ok(taken(&row)),
                IdConflictPolicy::UseExisting => return Ok(Decision::UseExisting(row.run_id)),
                IdConflictPolicy::TerminateExisting => Some(row.run_id),
            },
            Some(row) if !may_reuse(request.id_reuse, row.status) => return Ok(taken(&row)),
            Some(_) | None => None,
        };
        if let Room::Low { free, reserve } = self.shared.store.room()? {
            let why = Unavailable::NoRoom(format!("{free} bytes are free, {reserve} are kept in reserve"));
            return Ok(Decision::Refused(None, why.into()));
        }
        Ok(Decision::New { replaces })
    }

    /// Remembers that a request found an open run.
    fn use_existing(
        &mut self,
        run: RunId,
        request: &StartRequest,
        request_id: &RequestId,
        reply: Reply<Started, StartError>,
    ) -> Result<(), StoreError> {
        let mut work = match self.open(run) {
            Ok(Opened::Run(work)) => work,
            Ok(Opened::Missing | Opened::Unreadable(_)) => {
                let why = Unavailable::Unreadable(format!("the open run {run} cannot be read"));
                drop(reply.send(Err(why.into())));
                return Ok(());
            }
            Err(error) => {
                drop(reply.send(Err(Unavailable::from(&error).into())));
                return Err(error);
            }
        };
        let started = Started { run_id: run, is_existing: true };
        let outcome = RequestOutcome::Started(started.clone());
        work.request =
            Some((request.workflow_id.clone(), request_id.clone(), self.request_row(run, &outcome)));
        work.effects.push(Effect::Answer(Answer::new(reply, Ok(started))));
        self.submit(*work);
        Ok(())
    }

    pub(super) fn request_row(&self, run: RunId, outcome: &RequestOutcome) -> RequestRow {
        // A few small fields are always written.
        let outcome = steadfast_core::codec::encode(outcome).unwrap_or_default();
        RequestRow { run_id: run, at: self.now(), outcome }
    }

    fn start_new(
        &mut self,
        request: StartRequest,
        request_id: RequestId,
        replaces: Option<RunId>,
        reply: Reply<Started, StartError>,
    ) -> Result<(), StoreError> {
        let old = match replaces.map(|old| self.open(old)) {
            None | Some(Ok(Opened::Missing)) => None,
            Some(Ok(Opened::Run(work))) => Some(work),
            Some(Ok(Opened::Unreadable(reason))) => {
                drop(reply.send(Err(Unavailable::Unreadable(reason).into())));
                return Ok(());
            }
            Some(Err(error)) => {
                drop(reply.send(Err(Unavailable::from(&error).into())));
                return Err(error);
            }
        };
        let mut work = self.new_run(&request, &request_id);
        let record = StartRecord {
            version: request.version,
            input: request.input,
            request_id,
            run_timeout: request.run_timeout,
            execution_timeout: request.execution_timeout,
            requested_at: self.now(),
        };
        self.block_unborn(&mut work.run);
        work.inputs.push_back(Queued { body: MailBody::Start(Box::new(record)), row: None });
        let prepared = self.process(&mut work).and_then(|()| match old {
            Some(old) => self.replace(*old, &mut work),
            None => Ok(Vec::new()),
        });
        match prepared {
            Ok(before) => {
                let started = Started { run_id: work.run.id(), is_existing: false };
                work.effects.insert(0, Effect::Answer(Answer::new(reply, Ok(started))));
                self.submit_with(work, before);
                Ok(())
            }
            Err(error) => {
                drop(reply.send(Err(Unavailable::from(&error).into())));
                Err(error)
            }
        }
    }

    /// Terminates the open run whose id the new one takes; its rows go into the same transition.
    fn replace(&mut self, mut old: Work, new: &mut Work) -> Result<Vec<Write>, StoreError> {
        let reason = format!("replaced by run {}", new.run.id());
        self.terminate_run(&mut old, reason)?;
        Ok(self.fold(old, new))
    }

    fn new_run(&mut self, request: &StartRequest, request_id: &RequestId) -> Work {
        let now = self.now();
        let run_id = self.random.run_id(now);
        let begins = now.after(request.start_delay.unwrap_or_default());
        let deadline = [
            (request.run_timeout, CancelCause::RunTimeout),
            (request.execution_timeout, CancelCause::ExecutionTimeout),
        ]
        .into_iter()
        .filter_map(|(limit, cause)| Some(RunDeadline { at: begins.after(limit?), cause }))
        .min_by_key(|deadline| deadline.at);
        let fields = Fields {
            queue: request.queue.clone(),
            version: request.version,
            limits: self.shared.config.limits,
            started_at: now,
            last_at: now,
            closed_at: None,
            starts_at: request.start_delay.filter(|delay| !delay.is_zero()).map(|_| begins),
            deadline,
            has_undos: false,
            unwinding: false,
            user_cancelled: false,
            imposed: None,
            compensation: steadfast_core::history::Compensation::None,
            holds: Vec::new(),
            attention: Vec::new(),
            blocked: None,
            mail_first: 0,
            settled: Vec::new(),
        };
        let head = RunHead {
            run_id,
            workflow_id: request.workflow_id.clone(),
            workflow_type: request.workflow_type.clone(),
            status: RunStatus::Running,
            last_event: EventId(0),
            history_hash: 0,
            history_bytes: 0,
            due: None,
            has_items: false,
            mail_next: 0,
            body: Vec::new(),
        };
        let mut work = Work::new(LiveRun::new(head, fields));
        work.is_new = true;
        work.is_changed = true;
        let row = CurrentRow { run_id, status: RunStatus::Running };
        work.current = Some((request.workflow_id.clone(), row));
        let outcome = RequestOutcome::Started(Started { run_id, is_existing: false });
        let row = self.request_row(run_id, &outcome);
        work.request = Some((request.workflow_id.clone(), request_id.clone(), row));
        work
    }
}

fn may_reuse(policy: IdReusePolicy, last: RunStatus) -> bool {
    match policy {
        IdReusePolicy::AllowDuplicate => true,
        IdReusePolicy::AllowDuplicateFailedOnly => {
            !matches!(last, RunStatus::Completed | RunStatus::ContinuedAsNew)
        }
        IdReusePolicy::RejectDuplicate => false,
    }
}
