//! Bounds of what is recorded, in one place.

/// How many failures the closing event of an activity carries: the newest.
pub const ATTEMPT_FAILURES_MAX: usize = 10;
/// How many beginnings of attempts the closing event of an activity carries: the newest.
pub const ATTEMPT_TIMES_MAX: usize = 100;
/// The longest error or panic text that is recorded, in bytes; a longer one is cut and marked.
pub const MESSAGE_BYTES_MAX: usize = 8 * 1024;
/// How many causes of an error are recorded.
pub const CAUSES_MAX: usize = 16;
/// The most bytes that one stored record may have: more is neither written nor read.
pub const RECORD_BYTES_MAX: usize = 64 * 1024 * 1024;

/// `text`, cut to at most [`MESSAGE_BYTES_MAX`] bytes and marked if it was cut.
#[must_use]
pub fn clip(mut text: String) -> String {
    if text.len() > MESSAGE_BYTES_MAX {
        let mut end = MESSAGE_BYTES_MAX;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let whole = text.len();
        text.truncate(end);
        text.push_str(&format!(" … (cut, {whole} bytes in all)"));
    }
    text
}
