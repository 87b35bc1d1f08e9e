//! The HTTP side: reads calls, answers them, and misbehaves where the options say so.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{ConnectInfo, DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};

use super::call::{BookedBody, Call, RefusalCode, RefusedBody, Undone, UndoneBody};
use super::clerk::{ClerkError, ClerkHandle};
use super::hangup::Hangup;
use super::options::Options;
use super::register::{Answer, Outcome};
use super::step::{Action, Kind, Step};

/// Room for all fields at their longest, even if every byte of them is written as an escape.
const BODY_BYTES_MAX: usize = 32 * 1024;
/// How much of a longer body is read to its end: a caller that is still sending may miss the answer.
const READ_BYTES_MAX: usize = 1024 * 1024;

/// What every handler needs.
#[derive(Debug)]
struct Desk {
    clerk: ClerkHandle,
    fail: Option<Kind>,
    lose_reply: BTreeSet<Step>,
}

/// One route for each kind and action, so that an unknown kind is an unknown path.
pub(crate) fn router(clerk: ClerkHandle, options: &Options) -> Router {
    let desk = Desk { clerk, fail: options.fail, lose_reply: options.lose_reply.iter().copied().collect() };
    let mut router = Router::new().route("/books", get(books));
    for kind in Kind::ALL {
        for (name, action) in [("book", Action::Book), ("cancel", Action::Cancel)] {
            let handler = move |desk, hangup, body| answer_call(kind, action, desk, hangup, body);
            router = router.route(&format!("/{kind}/{name}"), post(handler));
        }
    }
    router
        .fallback(unknown)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(READ_BYTES_MAX))
        .with_state(Arc::new(desk))
}

async fn answer_call(
    kind: Kind,
    action: Action,
    State(desk): State<Arc<Desk>>,
    ConnectInfo(hangup): ConnectInfo<Hangup>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let body = match read_body(body) {
        Ok(body) => body,
        Err((code, message)) => return refuse(code, message),
    };
    let mut call = match Call::parse(kind, action, &body) {
        Ok(call) => call,
        Err(message) => return refuse(RefusalCode::Invalid, message),
    };
    call.decline |= action == Action::Book && desk.fail == Some(kind);
    match desk.clerk.call(call).await {
        Ok(answer) => {
            // The call is durable by now: that is what makes a lost reply hard for the caller.
            if answer.first_call && desk.lose_reply.contains(&Step::of(kind, action)) {
                hangup.pull();
            }
            respond(answer)
        }
        Err(error) => refuse_for(&error),
    }
}

fn read_body(body: Result<Bytes, BytesRejection>) -> Result<Bytes, (RefusalCode, String)> {
    match body {
        Ok(body) if body.len() <= BODY_BYTES_MAX => Ok(body),
        Err(error) if error.status() != StatusCode::PAYLOAD_TOO_LARGE => {
            Err((RefusalCode::Invalid, error.body_text()))
        }
        Ok(_) | Err(_) => Err((RefusalCode::TooLarge, format!("the body has over {BODY_BYTES_MAX} bytes"))),
    }
}

fn respond(answer: Answer) -> Response {
    let undone = |undone| Json(UndoneBody { undone }).into_response();
    match answer.outcome {
        Outcome::Booked | Outcome::BookedAlready => match answer.booking_id {
            Some(booking_id) => Json(BookedBody { booking_id }).into_response(),
            None => refuse(RefusalCode::Unavailable, "a booking without an id"),
        },
        Outcome::Declined => refuse(RefusalCode::Declined, "declined on request"),
        Outcome::Barred => refuse(RefusalCode::Barred, "it was cancelled before; the key is barred"),
        Outcome::Cancelled | Outcome::CancelledAlready => undone(Undone::Cancelled),
        Outcome::Nothing => undone(Undone::Nothing),
    }
}

async fn books(State(desk): State<Arc<Desk>>) -> Response {
    match desk.clerk.books().await {
        Ok(books) => Json(books).into_response(),
        Err(error) => refuse_for(&error),
    }
}

async fn unknown() -> Response {
    refuse(RefusalCode::Unknown, "no such path; there are /{hotel,flight,card}/{book,cancel} and /books")
}

async fn wrong_method() -> Response {
    let message = "calls are made with POST, the books are read with GET";
    with_status(StatusCode::METHOD_NOT_ALLOWED, RefusalCode::Unknown, message)
}

fn refuse_for(error: &ClerkError) -> Response {
    let code = match error {
        ClerkError::Mismatch(_) => RefusalCode::Mismatch,
        ClerkError::Gone => RefusalCode::Unavailable,
    };
    refuse(code, error.to_string())
}

fn refuse(code: RefusalCode, message: impl Into<String>) -> Response {
    let status = match code {
        RefusalCode::Declined => StatusCode::PAYMENT_REQUIRED,
        RefusalCode::Barred => StatusCode::CONFLICT,
        RefusalCode::Mismatch => StatusCode::UNPROCESSABLE_ENTITY,
        RefusalCode::Invalid => StatusCode::BAD_REQUEST,
        RefusalCode::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        RefusalCode::Unknown => StatusCode::NOT_FOUND,
        RefusalCode::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    };
    with_status(status, code, message)
}

fn with_status(status: StatusCode, code: RefusalCode, message: impl Into<String>) -> Response {
    (status, Json(RefusedBody { code, message: message.into() })).into_response()
}
