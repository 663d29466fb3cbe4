//! How long to wait before a model is asked again.

use chat::{ErrorClass, ModelError};

use crate::Limits;

/// Pauses up to here pass without a word.
pub(crate) const LONGEST_SILENT_PAUSE_MS: u64 = 10_000;

/// What to do after a failure that may pass.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// Ask again after this many milliseconds.
    Wait(u64),
    /// The server asks for more time than is given: do not ask again.
    TooLong,
}

/// The pause before a step is asked again; `retries` is how often it was asked again already.
///
/// What the server asks for counts, else 2, 4, 6 s … where something broke and 30, 45, 60 s where the model is busy.
pub(crate) fn pause(error: &ModelError, retries: u32, limits: &Limits) -> Pause {
    let retries = u64::from(retries);
    match error.retry_after_ms {
        Some(ms) if ms > u64::from(limits.longest_pause_s) * 1000 => Pause::TooLong,
        Some(ms) => Pause::Wait(ms),
        None if is_busy(error.class) => Pause::Wait((30_000 + 15_000 * retries).min(60_000)),
        None => Pause::Wait((2_000 * (retries + 1)).min(60_000)),
    }
}

fn is_busy(class: ErrorClass) -> bool {
    matches!(class, ErrorClass::RateLimited | ErrorClass::Overloaded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pauses(class: ErrorClass) -> Vec<Pause> {
        let error = ModelError::new(class, "");
        (0..4).map(|retries| pause(&error, retries, &Limits::default())).collect()
    }

    fn asked_for(ms: u64) -> Pause {
        let error = ModelError { retry_after_ms: Some(ms), ..ModelError::new(ErrorClass::RateLimited, "") };
        pause(&error, 0, &Limits { longest_pause_s: 90, ..Limits::default() })
    }

    #[test]
    fn a_busy_model_is_left_alone_for_longer_each_time_up_to_a_minute() {
        let expected = [30_000, 45_000, 60_000, 60_000].map(Pause::Wait);

        assert_eq!(pauses(ErrorClass::RateLimited), expected);
        assert_eq!(pauses(ErrorClass::Overloaded), expected);
    }

    #[test]
    fn what_broke_is_tried_again_soon() {
        let expected = [2_000, 4_000, 6_000, 8_000].map(Pause::Wait);

        assert_eq!(pauses(ErrorClass::Network), expected);
        assert_eq!(pauses(ErrorClass::Server), expected);
    }

    #[test]
    fn the_pause_a_server_asks_for_is_kept_up_to_the_limit() {
        assert_eq!(asked_for(1_500), Pause::Wait(1_500));
        assert_eq!(asked_for(90_000), Pause::Wait(90_000));
        assert_eq!(asked_for(90_001), Pause::TooLong);
        assert_eq!(asked_for(u64::MAX), Pause::TooLong);
    }
}
