//! What a running turn looks like, and how often.

use chat::{Language, Progress};
use tokio::time::{Duration, Instant};

use super::{Live, Pace};

const PACE: Pace =
    Pace { silence: Duration::from_millis(1500), least: Duration::from_millis(1500), most: Duration::from_secs(15) };

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

fn text(step: u32, text: &str) -> Progress {
    Progress::TextDelta { step, text: text.into() }
}

fn tool(id: &str, name: &str) -> Progress {
    Progress::ToolStarted { id: id.into(), name: name.into(), arguments: None }
}

fn finished(id: &str, name: &str) -> Progress {
    Progress::ToolFinished { id: id.into(), name: name.into(), is_error: false, ms: 1, display: None }
}

fn show(live: &mut Live, now: Instant) -> String {
    live.show(Language::English, now)
}

#[test]
fn a_silent_turn_shows_itself_after_a_while_and_a_speaking_one_at_once() {
    let now = Instant::now();
    let mut live = Live::new(PACE, now);
    assert_eq!(live.due(), now + PACE.silence);

    live.on(text(1, "Hi"), now);
    assert_eq!(live.due(), now);
}

#[test]
fn versions_are_neither_too_close_nor_too_far_apart() {
    let now = Instant::now();
    let mut live = Live::new(PACE, now);
    live.on(tool("1", "bash"), now);
    assert_eq!(show(&mut live, now), "⚙ `bash` · 0 s");

    assert_eq!(live.due(), now + seconds(15));
    live.on(text(1, "Hi"), now + seconds(1));
    assert_eq!(live.due(), now + PACE.least);
}

#[test]
fn a_tool_is_shown_with_its_name_and_time_until_it_ends() {
    let now = Instant::now();
    let mut live = Live::new(PACE, now);

    live.on(text(1, "I look."), now);
    live.on(tool("1", "bash"), now);
    assert_eq!(show(&mut live, now + seconds(12)), "I look.\n\n⚙ `bash` · 12 s");

    live.on(finished("1", "bash"), now + seconds(13));
    assert_eq!(show(&mut live, now + seconds(13)), "I look.");
    assert_eq!(live.in_short(Language::English, now + seconds(34)), "Worked for 34 s, with 1 tool call.");
}

#[test]
fn text_of_an_earlier_step_gives_way() {
    let now = Instant::now();
    let mut live = Live::new(PACE, now);

    live.on(text(1, "I look."), now);
    live.on(text(2, "There "), now);
    live.on(text(2, "it is."), now);

    assert_eq!(show(&mut live, now), "There it is.");
}

#[test]
fn what_is_void_is_not_shown() {
    let now = Instant::now();
    let mut live = Live::new(PACE, now);

    live.on(text(1, "half"), now);
    live.on(Progress::TextReset { step: 1 }, now);

    assert_eq!(show(&mut live, now + seconds(3)), "thinking · 3 s");
}

#[test]
fn a_turn_that_waits_for_very_long_is_shown_ever_less_often() {
    let now = Instant::now();
    let mut live = Live::new(PACE, now);
    live.on(tool("1", "bash"), now);

    show(&mut live, now + seconds(600));
    assert_eq!(live.due(), now + seconds(615));
    show(&mut live, now + seconds(4000));
    assert_eq!(live.due(), now + seconds(5000));
}
