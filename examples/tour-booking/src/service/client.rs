//! The caller's side: typed calls whose errors say what is known of the outcome.

use std::error::Error;
use std::net::SocketAddr;
use std::time::Duration;

use reqwest::{Response, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::booking::{BookingId, Books};
use super::call::{BookRequest, BookedBody, CancelRequest, RefusalCode, RefusedBody, Undone, UndoneBody};
use super::step::Kind;

/// How long a call may take in all.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(5);

/// Why a call gave no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The service refused for good. Nothing happened.
    #[error("declined")]
    Declined,
    /// The undo came before the forward call. Nothing happened, nor ever will under this key.
    #[error("the key is barred by a cancel")]
    Barred,
    /// No answer that can be understood: not reached, connection lost, or too late. What happened is unknown.
    #[error("no answer: {0}")]
    Network(String),
    /// The call is wrong; sending it again is of no use. Nothing happened.
    #[error("the service refuses the call: {0}")]
    Invalid(String),
    /// The service has trouble of its own. What happened is unknown.
    #[error("the service has trouble: {0}")]
    Unavailable(String),
}

/// Calls the booking service. Clones share their connections. It never retries: that is the caller's decision.
#[derive(Debug, Clone)]
pub struct BookingClient {
    http: reqwest::Client,
    base: String,
}

impl BookingClient {
    /// A client of the service at this address.
    ///
    /// # Errors
    ///
    /// [`CallError::Invalid`] when the HTTP client can't be set up.
    pub fn new(address: SocketAddr) -> Result<Self, CallError> {
        // The address is a loopback one: a proxy from the environment could not reach it.
        let http = reqwest::Client::builder()
            .no_proxy()
            .timeout(CALL_TIMEOUT)
            .build()
            .map_err(|error| CallError::Invalid(chain(&error)))?;
        Ok(Self { http, base: format!("http://{address}") })
    }

    /// Books. A repeated idempotency key gives the id of the first time.
    ///
    /// # Errors
    ///
    /// Every [`CallError`].
    pub async fn book(&self, kind: Kind, request: &BookRequest) -> Result<BookingId, CallError> {
        let body: BookedBody = self.post(&format!("/{kind}/book"), request).await?;
        Ok(body.booking_id)
    }

    /// Cancels what was booked under the key, or bars the key if nothing was.
    ///
    /// # Errors
    ///
    /// [`CallError::Network`], [`CallError::Invalid`] and [`CallError::Unavailable`]; a cancel is never declined.
    pub async fn cancel(&self, kind: Kind, request: &CancelRequest) -> Result<Undone, CallError> {
        let body: UndoneBody = self.post(&format!("/{kind}/cancel"), request).await?;
        Ok(body.undone)
    }

    /// Reads the full books.
    ///
    /// # Errors
    ///
    /// [`CallError::Network`] and [`CallError::Unavailable`].
    pub async fn books(&self) -> Result<Books, CallError> {
        read(self.http.get(format!("{}/books", self.base)).send().await).await
    }

    async fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T, CallError> {
        read(self.http.post(format!("{}{path}", self.base)).json(body).send().await).await
    }
}

async fn read<T: DeserializeOwned>(response: reqwest::Result<Response>) -> Result<T, CallError> {
    let response = response.map_err(|error| network(&error))?;
    let status = response.status();
    let body = response.bytes().await.map_err(|error| network(&error))?;
    if status.is_success() {
        return serde_json::from_slice(&body)
            .map_err(|error| CallError::Network(format!("the answer is not understood: {error}")));
    }
    Err(refusal(status, &body))
}

/// A refusal is definite only with a code of the service: something else may be listening on its port by now.
fn refusal(status: StatusCode, body: &[u8]) -> CallError {
    let Ok(RefusedBody { code, message }) = serde_json::from_slice(body) else {
        let what = format!("status {status} without a reason");
        return if status.is_server_error() {
            CallError::Unavailable(what)
        } else {
            CallError::Network(what)
        };
    };
    match code {
        RefusalCode::Declined => CallError::Declined,
        RefusalCode::Barred => CallError::Barred,
        RefusalCode::Mismatch | RefusalCode::Invalid | RefusalCode::TooLarge | RefusalCode::Unknown => {
            CallError::Invalid(message)
        }
        RefusalCode::Unavailable => CallError::Unavailable(message),
    }
}

fn network(error: &reqwest::Error) -> CallError {
    CallError::Network(chain(error))
}

/// The error with all its causes: the outermost one alone only says that sending failed.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
