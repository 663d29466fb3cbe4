//! `kill -9` at random moments of turns with commands.

use testkit::ScriptedModel;
use tokio::time::{Duration, Instant};

use super::tale::Tale;

/// How many kills there are where `COWHAND_KILLS` does not say.
const KILLS: u32 = 12;

/// After how many kills a new conversation is begun.
const PER_TALE: u32 = 12;

/// Numbers that look random and are the same for the same seed (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// How long a whole turn takes here, from the start of the process.
async fn whole_turn() -> Duration {
    let model = ScriptedModel::start().await;
    let mut tale = Tale::with(&model);
    let started = Instant::now();
    tale.does("do 1").await;
    started.elapsed()
}

#[tokio::test]
async fn nothing_is_lost_run_twice_or_said_twice_without_saying_so() {
    let seed = variable("COWHAND_SEED").unwrap_or_else(|| u64::from(std::process::id()) * 0x9e37_79b9 + 1);
    let kills = variable("COWHAND_KILLS").and_then(|kills| u32::try_from(kills).ok()).unwrap_or(KILLS);
    println!("seed {seed}, {kills} kills");
    let mut random = Random(seed.max(1));
    let longest = u64::try_from(whole_turn().await.as_micros()).expect("it is short");
    let (mut done, mut taken, mut twice, mut interrupted, mut repeated) = (0, 0, 0, 0, 0);
    while done < kills {
        let model = ScriptedModel::start().await;
        let mut tale = Tale::with(&model);
        for number in 1..=PER_TALE.min(kills - done) {
            let line = format!("do {number}");
            tale.dies_after(Duration::from_micros(random.below(longest)), Some(&line)).await;
            done += 1;
            // Now and then the one that takes it up dies too.
            if random.below(4) == 0 && done < kills {
                tale.dies_after(Duration::from_micros(random.below(longest)), None).await;
                (done, twice) = (done + 1, twice + 1);
            }
            tale.comes_to_rest().await;
            if done >= kills {
                break;
            }
        }
        taken += tale.check().await.len();
        let marked = tale.marked();
        (interrupted, repeated) = (interrupted + marked.0, repeated + marked.1);
    }
    println!(
        "{done} kills, {twice} of them of the start after a kill; {taken} messages had been taken in, all answered"
    );
    println!("{interrupted} commands were interrupted and told so; {repeated} answers were given again with a mark");
}
