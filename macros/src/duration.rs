//! Durations as people write them in attributes: `"500ms"`, `"1.5s"`, `"10m"`, `"2h"`, `"3d"`. Exact: no floats.

use std::time::Duration;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, LitStr};

const LONGEST: Duration = Duration::from_secs(100 * 365 * 86_400);
const FRACTION_DIGITS_MAX: usize = 12;

/// Reads a duration of zero or more.
pub(crate) fn parse(literal: &LitStr) -> syn::Result<Duration> {
    let text = literal.value();
    let text = text.trim();
    let duration = read(text).ok_or_else(|| {
        let message =
            format!("`{text}` is not a duration; write \"500ms\", \"1.5s\", \"10m\", \"2h\" or \"3d\"");
        Error::new(literal.span(), message)
    })?;
    if duration > LONGEST {
        return Err(Error::new(literal.span(), format!("`{text}` is longer than 100 years")));
    }
    Ok(duration)
}

/// Reads a duration that must not be zero, the value of `key`.
pub(crate) fn parse_positive(key: &str, literal: &LitStr) -> syn::Result<Duration> {
    let duration = parse(literal)?;
    if duration.is_zero() {
        let message = format!("`{key}` must be longer than zero; leave it out to have no such limit");
        return Err(Error::new(literal.span(), message));
    }
    Ok(duration)
}

/// The duration as an expression.
pub(crate) fn tokens(duration: Duration) -> TokenStream {
    let (seconds, nanos) = (duration.as_secs(), duration.subsec_nanos());
    quote!(::core::time::Duration::new(#seconds, #nanos))
}

fn read(text: &str) -> Option<Duration> {
    let split = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(split);
    let nanos_per_unit: u128 = match unit {
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60 * 1_000_000_000,
        "h" => 3_600 * 1_000_000_000,
        "d" => 86_400 * 1_000_000_000,
        _ => return None,
    };
    let number = number.trim_end();
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    if fraction.len() > FRACTION_DIGITS_MAX {
        return None;
    }
    let scale = 10_u128.pow(u32::try_from(fraction.len()).ok()?);
    let parts = digits(whole)?.checked_mul(scale)?.checked_add(digits(fraction)?)?;
    let nanos = parts.checked_mul(nanos_per_unit)?;
    if nanos % scale != 0 {
        return None;
    }
    let nanos = nanos / scale;
    let seconds = u64::try_from(nanos / 1_000_000_000).ok()?;
    Some(Duration::new(seconds, u32::try_from(nanos % 1_000_000_000).ok()?))
}

fn digits(text: &str) -> Option<u128> {
    let all_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if all_digits { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests;
