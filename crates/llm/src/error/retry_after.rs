//! How long a server asks to be left alone, in its many spellings.

use jiff::fmt::rfc2822;
use jiff::{SignedDuration, Timestamp};

/// The time by the server's clock, which may not be ours.
pub(super) fn now(headers: &[(String, String)]) -> Timestamp {
    header(headers, "date").and_then(http_date).unwrap_or_else(Timestamp::now)
}

/// The pause that the headers ask for, in milliseconds. Where the answer says that a limit `is_reached`, those that tell when it is
/// reset count too.
pub(super) fn from_headers(headers: &[(String, String)], now: Timestamp, is_reached: bool) -> Option<u64> {
    let asked_ms = header(headers, "retry-after-ms").and_then(|value| value.parse().ok()).and_then(from_ms);
    let mut asked = ["retry-after", "llm_provider-retry-after"].into_iter().filter_map(|name| header(headers, name));
    let reset = || is_reached.then(|| until_reset(headers, now)).flatten();
    asked_ms.or_else(|| asked.find_map(|value| pause(value, now))).or_else(reset)
}

/// The longest wait until a limit that is used up is reset.
fn until_reset(headers: &[(String, String)], now: Timestamp) -> Option<u64> {
    let resets = headers.iter().filter_map(|(name, value)| {
        let name = name.to_ascii_lowercase();
        let is_limit = name.contains("ratelimit") && name.contains("reset");
        let remaining = header(headers, &name.replace("reset", "remaining"));
        (is_limit && remaining.is_none_or(|left| left == "0")).then(|| pause(value, now))?
    });
    resets.max()
}

fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

/// Reads seconds, a duration (`6m0s`), or a point in time: an HTTP date, RFC 3339, or seconds or milliseconds since 1970.
fn pause(value: &str, now: Timestamp) -> Option<u64> {
    if let Ok(number) = value.parse::<f64>() {
        let now = now.as_millisecond() as f64;
        return match number {
            _ if number > 1e12 => from_ms(number - now),
            _ if number > 1e9 => from_ms(number * 1e3 - now),
            _ => from_ms(number * 1e3),
        };
    }
    let time = http_date(value).or_else(|| value.parse().ok());
    time.map(|time| time.as_millisecond() - now.as_millisecond()).map(not_negative).or_else(|| duration(value))
}

/// Reads a duration such as `34.07s`, `120ms` or `6m0s`, in milliseconds.
pub(super) fn duration(value: &str) -> Option<u64> {
    let duration: SignedDuration = value.parse().ok()?;
    i64::try_from(duration.as_millis()).ok().map(not_negative)
}

fn http_date(value: &str) -> Option<Timestamp> {
    rfc2822::DateTimeParser::new().parse_timestamp(value).ok()
}

fn not_negative(ms: i64) -> u64 {
    u64::try_from(ms).unwrap_or(0)
}

fn from_ms(ms: f64) -> Option<u64> {
    // A cast from a float saturates, so that no value is out of range.
    ms.is_finite().then_some(ms.max(0.0).ceil() as u64)
}
