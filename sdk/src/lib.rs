//! Durable workflows as async Rust functions: sagas, retries and deterministic replay.
