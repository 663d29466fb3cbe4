//! Questions and answers.

use std::io::{self, BufRead, Read, Write};

use super::hidden::{Typed, read_hidden};
use crate::exit::{Exit, Failure};

/// No answer is longer.
const MOST_BYTES: u64 = 64 * 1024;

/// After so many answers that do not do, a person is asked no more.
const MOST_TRIES: usize = 3;

/// Who is asked, and how.
pub(crate) struct Dialogue<'a> {
    /// Where answers come from.
    pub(crate) input: &'a mut dyn BufRead,
    /// Where questions go.
    pub(crate) output: &'a mut dyn Write,
    /// How a person is asked.
    pub(crate) manner: Manner,
}

/// How a person is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// At the terminal that is stdin: an answer that does not do is asked for again, a secret is not shown.
    Terminal,
    /// Through a pipe, one answer per line; where it ends, the rest is what is offered.
    Pipe,
    /// Not at all: what is offered is taken.
    Defaults,
}

/// What is asked.
pub(crate) struct Question<'a> {
    /// The question.
    pub(crate) text: &'a str,
    /// What Enter stands for, as it is shown; empty where there is nothing to offer.
    pub(crate) offer: &'a str,
    /// Whether the answer is a secret.
    pub(crate) secret: bool,
}

impl Dialogue<'_> {
    /// Asks until an answer does. `read` turns an answer, or `None` for the offer, into what is wanted, or says what is wrong with it.
    pub(crate) fn ask<T>(
        &mut self,
        question: &Question<'_>,
        read: impl Fn(Option<&str>) -> Result<T, String>,
    ) -> Result<T, Failure> {
        for tries in 1.. {
            let answer = self.answer(question)?;
            match read(answer.as_deref()) {
                Ok(wanted) => return Ok(wanted),
                Err(problem) if self.manner == Manner::Terminal && tries < MOST_TRIES => self.say(&problem)?,
                Err(problem) => {
                    return Err(Failure::usage(format!("{}: {problem}; nothing was written", question.text)));
                }
            }
        }
        unreachable!("the last try returns")
    }

    /// Tells something.
    pub(crate) fn say(&mut self, text: &str) -> Result<(), Failure> {
        writeln!(self.output, "{text}").and_then(|()| self.output.flush()).map_err(gone)
    }

    fn answer(&mut self, question: &Question<'_>) -> Result<Option<String>, Failure> {
        let offer = if question.offer.is_empty() { String::new() } else { format!(" [{}]", question.offer) };
        write!(self.output, "{}{offer}: ", question.text).and_then(|()| self.output.flush()).map_err(gone)?;
        let line = match self.manner {
            Manner::Defaults => None,
            Manner::Terminal if question.secret => self.hidden_line()?,
            Manner::Terminal | Manner::Pipe => self.line()?,
        };
        // A terminal has shown the line and its end; elsewhere the answer is not there to be seen.
        if self.manner != Manner::Terminal || question.secret {
            self.say("")?;
        }
        Ok(line.map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()))
    }

    fn line(&mut self) -> Result<Option<String>, Failure> {
        let mut line = Vec::new();
        let read = self.input.take(MOST_BYTES).read_until(b'\n', &mut line);
        read.map_err(|error| Failure::usage(format!("the answer cannot be read: {error}")))?;
        if line.len() as u64 == MOST_BYTES {
            return Err(Failure::usage("the answer is too long; nothing was written"));
        }
        let text =
            String::from_utf8(line).map_err(|_| Failure::usage("the answer is not UTF-8; nothing was written"))?;
        Ok(Some(text))
    }

    fn hidden_line(&mut self) -> Result<Option<String>, Failure> {
        match read_hidden(io::stdin()) {
            Ok(Typed::Line(line)) => Ok(Some(line)),
            Ok(Typed::End) => Ok(None),
            Ok(Typed::Interrupted) => {
                self.say("")?;
                Err(Failure { exit: Exit::Interrupted, message: "interrupted; nothing was written".into() })
            }
            Err(error) => Err(Failure::usage(format!("the key cannot be read from this terminal: {error}"))),
        }
    }
}

fn gone(error: io::Error) -> Failure {
    Failure::usage(format!("the questions cannot be written: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: Question<'_> = Question { text: "Name", offer: "ada", secret: false };

    fn ask(manner: Manner, input: &str) -> (Result<String, Failure>, String) {
        let mut output = Vec::new();
        let mut input = input.as_bytes();
        let mut dialogue = Dialogue { input: &mut input, output: &mut output, manner };
        let answer = dialogue.ask(&NAME, |answer| match answer {
            Some(name) if name.contains('!') => Err("a name has no `!`".into()),
            name => Ok(name.unwrap_or("ada").to_owned()),
        });
        (answer, String::from_utf8(output).unwrap())
    }

    #[test]
    fn an_answer_is_taken_and_enter_takes_the_offer() {
        assert_eq!(ask(Manner::Pipe, " bob \n").0.unwrap(), "bob");
        assert_eq!(ask(Manner::Pipe, "\n").0.unwrap(), "ada");
    }

    #[test]
    fn the_end_of_a_pipe_takes_the_offer() {
        assert_eq!(ask(Manner::Pipe, "").0.unwrap(), "ada");
        assert_eq!(ask(Manner::Pipe, "bob").0.unwrap(), "bob");
    }

    #[test]
    fn without_questions_nothing_is_read() {
        assert_eq!(ask(Manner::Defaults, "bob\n").0.unwrap(), "ada");
    }

    #[test]
    fn at_a_terminal_a_wrong_answer_is_asked_for_again() {
        let (answer, output) = ask(Manner::Terminal, "b!\nbob\n");

        assert_eq!(answer.unwrap(), "bob");
        assert_eq!(output, "Name [ada]: a name has no `!`\nName [ada]: ");
    }

    #[test]
    fn it_is_not_asked_for_ever() {
        let (answer, _) = ask(Manner::Terminal, "b!\nb!\nb!\nbob\n");

        assert_eq!(answer.unwrap_err().exit, Exit::Usage);
    }

    #[test]
    fn in_a_pipe_a_wrong_answer_ends_it() {
        let (answer, _) = ask(Manner::Pipe, "b!\nbob\n");

        assert_eq!(answer.unwrap_err().message, "Name: a name has no `!`; nothing was written");
    }

    #[test]
    fn an_endless_answer_is_refused() {
        let (answer, _) = ask(Manner::Pipe, &"x".repeat(70_000));

        assert!(answer.unwrap_err().message.contains("too long"));
    }
}
