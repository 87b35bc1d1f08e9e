//! One activity without a workflow.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;

use steadfast_core::{
    ActivityName, ActivityOptions, Payload, PayloadError, QueueName, RequestId, WorkflowId,
};
use steadfast_engine::{ActivityRequest, RunOutcome};

use super::error::{RunActivityError, RunError, StartError};
use super::{DEFAULT_QUEUE, fresh_id};
use crate::activity::Activity;
use crate::data::Data as _;
use crate::error::{ActivityError, FailedCall, WorkflowError};
use crate::private;

/// One activity without a workflow: say more about it, then await it. Made by [`Client::run`](crate::Client::run).
///
/// It is as durable as a workflow with this one activity: it is tried again by its policy, also after a crash.
///
/// ```no_run
/// # use steadfast::prelude::*;
/// # #[activity] async fn send_mail(to: String, text: String) -> Result<(), AnyFailure> { let _ = (to, text); Ok(()) }
/// # async fn f(client: steadfast::Client) -> Result<(), Box<dyn std::error::Error>> {
/// client.run(send_mail, ("ann".to_owned(), "Hello".to_owned())).id("mail-17").queue("mails").await?;
/// # Ok(()) }
/// ```
#[must_use = "an activity is not run until the call is awaited"]
pub struct RunActivityCall<A> {
    client: steadfast_engine::Client,
    input: Result<Payload, PayloadError>,
    id: Option<String>,
    queue: Option<String>,
    request_id: Option<String>,
    idempotency_key: Option<String>,
    options: ActivityOptions,
    activity: PhantomData<fn() -> A>,
}

impl<A: Activity> RunActivityCall<A> {
    pub(super) fn new(client: steadfast_engine::Client, input: &A::Input) -> Self {
        Self {
            client,
            input: input.to_payload(),
            id: None,
            queue: None,
            request_id: None,
            idempotency_key: A::key(input),
            options: private::options::<A>(input),
            activity: PhantomData,
        }
    }

    /// The id under which it runs. Without one a UUID is made up.
    pub fn id(self, id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..self }
    }

    /// The task queue. Without one it is the activity's own, or [`DEFAULT_QUEUE`].
    pub fn queue(self, queue: impl Into<String>) -> Self {
        Self { queue: Some(queue.into()), ..self }
    }

    /// Makes a repeated call one call.
    pub fn request_id(self, id: impl Into<String>) -> Self {
        Self { request_id: Some(id.into()), ..self }
    }

    /// The key that makes all attempts one effect outside.
    pub fn idempotency_key(self, key: impl Into<String>) -> Self {
        Self { idempotency_key: Some(key.into()), ..self }
    }

    /// Options that count more than the activity's own.
    pub fn options(self, options: ActivityOptions) -> Self {
        let options = options.or(&self.options);
        Self { options, ..self }
    }

    fn request(self) -> Result<(steadfast_engine::Client, ActivityRequest), StartError> {
        let queue = match self.queue {
            Some(queue) => QueueName::new(queue)?,
            None => match &self.options.queue {
                Some(queue) => queue.clone(),
                None => QueueName::new(DEFAULT_QUEUE)?,
            },
        };
        let request = ActivityRequest {
            workflow_id: WorkflowId::new(self.id.unwrap_or_else(fresh_id))?,
            activity: ActivityName::new(A::NAME)?,
            options: ActivityOptions { queue: Some(queue.clone()), ..self.options },
            queue,
            input: self.input.map_err(StartError::Input)?,
            idempotency_key: self.idempotency_key,
            request_id: self.request_id.map(RequestId::new).transpose()?,
        };
        Ok((self.client, request))
    }

    fn finish(outcome: &RunOutcome) -> Result<A::Output, RunActivityError<A::Error>> {
        let call = |scheduled| FailedCall { name: A::NAME.to_owned(), scheduled };
        let output = match RunError::of(outcome) {
            Ok(output) => output,
            Err(RunError::Failed { error: WorkflowError::Activity { scheduled, error, .. }, .. }) => {
                return Err(RunActivityError::Activity(ActivityError::from_call(*error, call(scheduled))));
            }
            Err(other) => return Err(RunActivityError::Ended(other)),
        };
        A::Output::from_payload(&output).map_err(|PayloadError(message)| {
            RunActivityError::Activity(ActivityError::Codec { message, call: call(None) })
        })
    }
}

impl<A: Activity> IntoFuture for RunActivityCall<A> {
    type Output = Result<A::Output, RunActivityError<A::Error>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let (client, request) = self.request()?;
            let outcome = client.run_activity(request).await.map_err(StartError::from)?;
            Self::finish(&outcome)
        })
    }
}

impl<A: Activity> fmt::Debug for RunActivityCall<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunActivityCall").field("activity", &A::NAME).finish_non_exhaustive()
    }
}
