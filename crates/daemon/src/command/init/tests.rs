use std::cell::Cell;
use std::os::unix::fs::PermissionsExt;

use tempfile::TempDir;

use super::vendors::Models;
use super::*;

/// A home folder, and how the vendor's server takes to a key.
struct Home {
    folder: TempDir,
    variables: Vec<(&'static str, &'static str)>,
    check: Result<(), String>,
    checks: Cell<usize>,
}

impl Home {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), variables: Vec::new(), check: Ok(()), checks: Cell::new(0) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn config(&self) -> String {
        std::fs::read_to_string(self.path("config/cowhand.toml")).unwrap()
    }

    fn init(&self, manner: Manner, input: &str) -> (Result<Exit, Failure>, String) {
        let environment = self.variables.iter().copied().collect();
        let check = |_: &Answers, _: &Environment| {
            self.checks.set(self.checks.get() + 1);
            self.check.clone()
        };
        let openai = Vendor {
            name: "openai".into(),
            key_variable: Some("OPENAI_API_KEY".into()),
            models: Models::Many { offer: Some("gpt-x".into()) },
        };
        let demo = Vendor { name: "demo".into(), key_variable: None, models: Models::One };
        let setup = Setup {
            environment: &environment,
            config: self.path("config/cowhand.toml"),
            paths: Paths::find(Some(&self.path("data")), &environment, None).unwrap(),
            vendors: vec![openai.clone(), demo],
            likeliest: openai,
            check: &check,
        };
        let mut output = Vec::new();
        let mut input = input.as_bytes();
        let done = setup.run(&mut Dialogue { input: &mut input, output: &mut output, manner });
        let output = String::from_utf8(output).unwrap();
        (done, output.replace(self.folder.path().to_str().unwrap(), "HOME"))
    }
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn what_is_answered_is_what_is_written() {
    let home = Home::new();

    let (done, output) = home.init(Manner::Pipe, "openai\nMY_KEY\ngpt-y\nzh\n");

    assert_eq!(done, Ok(Exit::Done));
    insta::assert_snapshot!("config", home.config());
    insta::assert_snapshot!("dialogue", output);
}

#[test]
fn what_is_written_is_a_configuration_that_is_accepted() {
    let home = Home::new();
    home.init(Manner::Pipe, "openai\nsk-test-abc\n\n\n").0.unwrap();
    let places = ConfigPlaces::Named(home.path("config/cowhand.toml"));

    let sources = crate::settings::Sources { places, environment: &Environment::default(), overrides: Vec::new() };

    assert_eq!(sources.read().findings, []);
}

#[test]
fn a_typed_key_goes_into_a_file_of_its_own_that_only_its_owner_can_read() {
    let home = Home::new();

    let (_, output) = home.init(Manner::Pipe, "openai\nsk-test-abc\n\n\n");

    let key_file = home.path("config/openai.key");
    assert_eq!(std::fs::read_to_string(&key_file).unwrap(), "sk-test-abc\n");
    assert_eq!((mode(&key_file), mode(&home.path("config/cowhand.toml"))), (0o600, 0o600));
    assert!(home.config().contains(&format!("key = \"file:{}\"", key_file.display())), "{}", home.config());
    assert!(!home.config().contains("sk-test") && !output.contains("sk-test"));
}

#[test]
fn a_key_that_does_not_work_is_told_and_saved_all_the_same() {
    let home = Home { check: Err("the key was refused".into()), ..Home::new() };

    let (done, output) = home.init(Manner::Pipe, "openai\nsk-test-abc\n\n\n");

    assert_eq!(done, Ok(Exit::Done));
    assert!(output.contains("It does not work: the key was refused\nYour answers will be saved"), "{output}");
    assert!(home.config().contains("openai.key"));
}

#[test]
fn a_variable_that_is_not_set_is_no_reason_to_call() {
    let home = Home::new();

    let (_, output) = home.init(Manner::Pipe, "openai\n\n\n\n");

    assert_eq!(home.checks.get(), 0);
    assert!(output.contains("not checked: the variable OPENAI_API_KEY is not set"), "{output}");
}

#[test]
fn a_key_in_a_variable_is_checked_and_stays_there() {
    let home = Home { variables: vec![("OPENAI_API_KEY", "sk-test-abc")], ..Home::new() };

    let (_, output) = home.init(Manner::Defaults, "");

    assert_eq!(home.checks.get(), 1);
    assert!(output.contains("It works."), "{output}");
    assert!(home.config().contains("key = \"env:OPENAI_API_KEY\""), "{}", home.config());
}

#[test]
fn the_demo_asks_for_neither_key_nor_model() {
    let home = Home::new();

    let (_, output) = home.init(Manner::Pipe, "demo\n\n");

    assert!(home.config().contains("model = \"demo\""), "{}", home.config());
    assert_eq!((home.checks.get(), output.contains("Key")), (0, false));
}

#[test]
fn a_workspace_is_written_and_what_is_there_stays() {
    let home = Home::new();
    std::fs::create_dir_all(home.path("data/workspace")).unwrap();
    std::fs::write(home.path("data/workspace/AGENT.md"), "You are Max.").unwrap();

    home.init(Manner::Pipe, "demo\n\n").0.unwrap();

    assert_eq!(std::fs::read_to_string(home.path("data/workspace/AGENT.md")).unwrap(), "You are Max.");
    assert!(home.path("data/workspace/RULE.md").exists());
}

#[test]
fn a_configuration_is_not_replaced_unasked() {
    let home = Home::new();
    files::write_private(&home.path("config/cowhand.toml"), "# mine\n").unwrap();

    for answer in ["", "\n", "n\n"] {
        let (done, output) = home.init(Manner::Pipe, answer);

        assert_eq!(done, Ok(Exit::Done));
        assert!(output.contains("Nothing was changed"), "{output}");
        assert_eq!(home.config(), "# mine\n");
    }
}

#[test]
fn a_configuration_that_is_replaced_is_kept() {
    let home = Home::new();
    files::write_private(&home.path("config/cowhand.toml"), "# mine\n").unwrap();

    home.init(Manner::Pipe, "y\ndemo\n").0.unwrap();

    assert_eq!(std::fs::read_to_string(home.path("config/cowhand.toml.bak")).unwrap(), "# mine\n");
    assert_eq!(mode(&home.path("config/cowhand.toml.bak")), 0o600);
    assert!(home.config().contains("model = \"demo\""));
}

#[test]
fn at_most_four_things_are_asked_when_a_configuration_is_replaced_too() {
    let home = Home::new();
    files::write_private(&home.path("config/cowhand.toml"), "# mine\n").unwrap();

    let (_, output) = home.init(Manner::Pipe, "y\nopenai\nMY_KEY\ngpt-y\n");

    assert_eq!(output.lines().filter(|line| line.trim_end().ends_with("]:")).count(), 4, "{output}");
}

#[test]
fn the_key_of_an_earlier_run_is_offered_again() {
    let home = Home::new();
    home.init(Manner::Pipe, "openai\nsk-test-abc\n\n\n").0.unwrap();

    home.init(Manner::Defaults, "").0.unwrap();

    assert!(home.config().contains("key = \"file:"), "{}", home.config());
    assert_eq!(std::fs::read_to_string(home.path("config/openai.key")).unwrap(), "sk-test-abc\n");
}

#[test]
fn a_wrong_answer_writes_nothing() {
    let home = Home::new();

    let (done, _) = home.init(Manner::Pipe, "openai\nsk-test-abc\n\nfr\n");

    assert_eq!(done.unwrap_err().exit, Exit::Usage);
    assert_eq!(std::fs::read_dir(home.folder.path()).unwrap().count(), 0);
}

#[test]
fn a_folder_that_cannot_be_written_is_told() {
    let home = Home::new();
    std::fs::write(home.path("config"), "a file").unwrap();

    let failure = home.init(Manner::Pipe, "demo\n\n").0.unwrap_err();

    assert_eq!(failure.exit, Exit::Config);
    assert!(failure.message.contains("config/cowhand.toml cannot be written"), "{failure}");
}

#[test]
fn a_folder_where_the_configuration_is_to_be_is_refused_and_left_alone() {
    let home = Home::new();
    std::fs::create_dir_all(home.path("config/cowhand.toml")).unwrap();

    let (done, _) = home.init(Manner::Defaults, "");

    let failure = done.unwrap_err();
    assert_eq!(failure.exit, Exit::Config);
    assert!(failure.message.contains("is no file; name one by --config"), "{failure}");
    assert_eq!(std::fs::read_dir(home.path("config")).unwrap().count(), 1);
}

#[test]
fn a_configuration_behind_a_link_is_replaced_where_it_is() {
    let home = Home::new();
    std::fs::create_dir_all(home.path("config")).unwrap();
    std::fs::create_dir_all(home.path("dotfiles")).unwrap();
    std::fs::write(home.path("dotfiles/cowhand.toml"), "language = \"zh\"\n").unwrap();
    std::os::unix::fs::symlink("../dotfiles/cowhand.toml", home.path("config/cowhand.toml")).unwrap();

    let (done, _) = home.init(Manner::Defaults, "");

    assert_eq!(done.unwrap(), Exit::Done);
    assert!(home.path("config/cowhand.toml").is_symlink());
    assert!(std::fs::read_to_string(home.path("dotfiles/cowhand.toml")).unwrap().contains("[models]"));
    assert_eq!(std::fs::read_to_string(home.path("config/cowhand.toml.bak")).unwrap(), "language = \"zh\"\n");
}
