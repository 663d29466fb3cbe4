//! A breaker for each model of an ordered list. Pure: the time comes in.

use chat::ErrorClass;
use tokio::time::{Duration, Instant};

/// After how many transient failures in a row a model is passed over.
const FAILURES: u32 = 2;
/// How long it is passed over the first time; each time in a row it is twice as long.
const FIRST_PAUSE: Duration = Duration::from_secs(30);
/// How long at most.
const LONGEST_PAUSE: Duration = Duration::from_secs(600);

/// What is known of the models of a list.
pub(super) struct Roster {
    breakers: Vec<Breaker>,
}

#[derive(Default)]
struct Breaker {
    failures: u32,
    /// How often it opened in a row.
    openings: u32,
    open_until: Option<Instant>,
}

impl Roster {
    pub(super) fn new(models: usize) -> Self {
        Self { breakers: (0..models).map(|_| Breaker::default()).collect() }
    }

    /// The first model that is not passed over; where all are, the one that is so for the shortest time.
    pub(super) fn choose(&self, now: Instant) -> usize {
        let first = self.breakers.iter().position(|breaker| !breaker.is_open(now));
        first.unwrap_or_else(|| {
            let places = 0..self.breakers.len();
            places.min_by_key(|place| self.breakers[*place].open_until).unwrap_or_default()
        })
    }

    /// A model failed a call. What is no fault of the model's (a request that is wrong or too large) does not count.
    pub(super) fn failed(&mut self, model: usize, class: ErrorClass, now: Instant) {
        let Some(breaker) = self.breakers.get_mut(model).filter(|_| counts(class)) else { return };
        breaker.failures += 1;
        if breaker.failures >= FAILURES || !can_wait(class) {
            let pause = FIRST_PAUSE * 2_u32.saturating_pow(breaker.openings.min(10));
            breaker.open_until = Some(now + pause.min(LONGEST_PAUSE));
            breaker.openings += 1;
            breaker.failures = 0;
        }
    }

    /// A model answered a call.
    pub(super) fn answered(&mut self, model: usize) {
        if let Some(breaker) = self.breakers.get_mut(model) {
            *breaker = Breaker::default();
        }
    }

    /// Whether, after such a failure, another model is to be asked at once: asking the same one again would be of no use, or not
    /// for long, and there is another.
    pub(super) fn another_than(&self, model: usize, class: ErrorClass, now: Instant) -> bool {
        let is_free = |(place, breaker): (usize, &Breaker)| place != model && !breaker.is_open(now);
        counts(class) && !can_wait(class) && self.breakers.iter().enumerate().any(is_free)
    }
}

impl Breaker {
    fn is_open(&self, now: Instant) -> bool {
        self.open_until.is_some_and(|until| until > now)
    }
}

/// Whether a failure says something about the model, not about the request.
fn counts(class: ErrorClass) -> bool {
    class.is_transient() || matches!(class, ErrorClass::Auth | ErrorClass::Quota)
}

/// Whether the same model may well answer a moment later.
fn can_wait(class: ErrorClass) -> bool {
    !matches!(class, ErrorClass::Auth | ErrorClass::Quota | ErrorClass::RateLimited | ErrorClass::Overloaded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_first_is_asked_until_it_failed_twice_in_a_row() {
        let mut roster = Roster::new(2);
        roster.failed(0, ErrorClass::Server, Instant::now());
        assert_eq!(roster.choose(Instant::now()), 0);
        roster.answered(0);
        roster.failed(0, ErrorClass::Server, Instant::now());
        assert_eq!(roster.choose(Instant::now()), 0);

        roster.failed(0, ErrorClass::Timeout, Instant::now());

        assert_eq!(roster.choose(Instant::now()), 1);
        tokio::time::advance(FIRST_PAUSE).await;
        assert_eq!(roster.choose(Instant::now()), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_wrong_key_or_a_limit_sends_to_another_at_once_where_there_is_one() {
        for class in [ErrorClass::Auth, ErrorClass::Quota, ErrorClass::RateLimited, ErrorClass::Overloaded] {
            let (mut alone, mut two) = (Roster::new(1), Roster::new(2));
            alone.failed(0, class, Instant::now());
            two.failed(0, class, Instant::now());

            assert!(!alone.another_than(0, class, Instant::now()), "{class:?}");
            assert!(two.another_than(0, class, Instant::now()), "{class:?}");
            assert_eq!((alone.choose(Instant::now()), two.choose(Instant::now())), (0, 1));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_is_wrong_is_no_fault_of_the_model() {
        let mut roster = Roster::new(2);

        for _ in 0..10 {
            roster.failed(0, ErrorClass::BadRequest, Instant::now());
            roster.failed(0, ErrorClass::Overflow, Instant::now());
        }

        assert_eq!(roster.choose(Instant::now()), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_and_when_all_are_passed_over_the_soonest_is_asked() {
        let mut roster = Roster::new(2);
        for _ in 0..8 {
            roster.failed(0, ErrorClass::Auth, Instant::now());
        }
        roster.failed(1, ErrorClass::Auth, Instant::now());

        assert_eq!(roster.choose(Instant::now()), 1);
        tokio::time::advance(LONGEST_PAUSE).await;
        assert_eq!(roster.choose(Instant::now()), 0);
    }
}
