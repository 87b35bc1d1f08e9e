//! Shards, commit pipeline, timers, dispatch and client of Steadfast.
