//! The log.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tools::redact::Secrets;
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry};

use crate::environment::Environment;
use crate::paths::expand_home;
use crate::settings::{LogFormat, LogSettings};

/// At this size a log file becomes the old one, and a new one is begun.
const MOST_BYTES: u64 = 4 << 20;

/// Starts the log. `quiet_file` is where it goes in place of stderr when lines on the terminal would disturb a person. Where a
/// file cannot be written, there is no log, and what is returned says so. No line holds one of the secrets.
pub(crate) fn start(
    settings: &LogSettings,
    quiet_file: Option<PathBuf>,
    environment: &Environment,
    secrets: &Secrets,
) -> Option<String> {
    let file = settings.file.as_deref().map(|file| expand_home(file, environment)).or(quiet_file);
    let (writer, warning) = match file.as_deref().map(BoundedFile::open).transpose() {
        Ok(None) => (without(secrets, io::stderr), None),
        Ok(Some(file)) => {
            let file = Arc::new(file);
            (without(secrets, move || Shared(Arc::clone(&file))), None)
        }
        Err(error) => {
            let shown = file.unwrap_or_default().display().to_string();
            (BoxMakeWriter::new(io::sink), Some(format!("there is no log: {shown} cannot be written: {error}")))
        }
    };
    // A second start in one process keeps the first log, which is what it wants.
    let _ = tracing_subscriber::registry().with(layer(settings, writer)).try_init();
    std::panic::set_hook(Box::new(tell_panic));
    warning
}

/// A part that panics is restarted, or its turn fails: that is for the log. Where the main thread does, all is over.
fn tell_panic(panic: &std::panic::PanicHookInfo<'_>) {
    tracing::error!(%panic, "panicked");
    if std::thread::current().name() == Some("main") {
        let _ = writeln!(io::stderr(), "cowhand: this should not have happened: {panic}");
    }
}

fn layer(settings: &LogSettings, writer: BoxMakeWriter) -> Box<dyn Layer<Registry> + Send + Sync> {
    let layer = tracing_subscriber::fmt::layer().with_writer(writer).with_ansi(false);
    let layer = match settings.format {
        LogFormat::Text => layer.boxed(),
        LogFormat::Json => layer.json().boxed(),
    };
    layer.with_filter(settings.level.targets()).boxed()
}

/// A writer that leaves secrets out. A line comes to it whole.
struct Redacting<W> {
    to: W,
    secrets: Secrets,
}

fn without<W: Write + 'static>(secrets: &Secrets, to: impl Fn() -> W + Send + Sync + 'static) -> BoxMakeWriter {
    let secrets = secrets.clone();
    BoxMakeWriter::new(move || Redacting { to: to(), secrets: secrets.clone() })
}

impl<W: Write> Write for Redacting<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        self.to.write_all(self.secrets.redact(&text).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// The log's file, for a line.
struct Shared(Arc<BoundedFile>);

impl Write for Shared {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        (&*self.0).write(line)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A log file that stays below a size: what is full is kept once, with `.old` behind its name.
struct BoundedFile {
    file: File,
    path: PathBuf,
    most: u64,
    written: AtomicU64,
}

impl BoundedFile {
    fn open(path: &Path) -> io::Result<Self> {
        Self::open_bounded(path, MOST_BYTES)
    }

    fn open_bounded(path: &Path, most: u64) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
        let written = AtomicU64::new(file.metadata()?.len());
        Ok(Self { file, path: path.to_path_buf(), most, written })
    }

    /// Keeps what there is under another name. The file itself is emptied in place, so that whoever writes meanwhile needs no
    /// new handle; a line that comes in just then may be lost.
    fn turn_over(&self) -> io::Result<()> {
        let mut old = self.path.clone().into_os_string();
        old.push(".old");
        std::fs::copy(&self.path, old)?;
        self.file.set_len(0)
    }
}

impl Write for &BoundedFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let length = line.len() as u64;
        if self.written.fetch_add(length, Ordering::Relaxed) + length > self.most {
            self.written.store(length, Ordering::Relaxed);
            self.turn_over()?;
        }
        (&self.file).write(line)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(settings: &LogSettings, log: impl FnOnce()) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let file = Arc::new(BoundedFile::open(&path).unwrap());
        let secrets = Secrets::new(["known-secret".to_owned()]);
        let writer = without(&secrets, move || Shared(Arc::clone(&file)));
        let subscriber = tracing_subscriber::registry().with(layer(settings, writer));
        tracing::subscriber::with_default(subscriber, log);
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn warnings_are_logged_and_lesser_things_are_not() {
        let text = logged(&LogSettings::default(), || {
            tracing::warn!(turn = 3, "turn failed");
            tracing::info!("turn began");
        });

        assert!(text.contains("turn failed turn=3"), "{text}");
        assert!(!text.contains("began"), "{text}");
    }

    #[test]
    fn a_secret_is_left_out_of_the_log() {
        let error = "POST https://api.telegram.org/bot123456:AAFakeFakeFakeFakeFakeFake/getMe: known-secret";
        for format in [LogFormat::Text, LogFormat::Json] {
            let text = logged(&LogSettings { format, ..LogSettings::default() }, || tracing::warn!(error, "it failed"));

            assert!(text.contains("/bot[redacted]/getMe: [redacted]"), "{text}");
        }
    }

    #[test]
    fn a_log_in_json_has_one_object_per_line() {
        let settings = LogSettings { format: LogFormat::Json, ..LogSettings::default() };

        let text = logged(&settings, || tracing::warn!(turn = 3, "turn failed"));

        let line: serde_json::Value = serde_json::from_str(text.trim_end()).unwrap();
        assert_eq!(line["fields"]["message"], "turn failed");
        assert_eq!(line["fields"]["turn"], 3);
    }

    #[test]
    fn a_full_file_is_kept_once_and_a_new_one_is_begun() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let file = BoundedFile::open_bounded(&path, 10).unwrap();

        for line in ["first\n", "second\n", "third\n"] {
            (&file).write_all(line.as_bytes()).unwrap();
        }

        assert_eq!(std::fs::read_to_string(folder.path().join("log.old")).unwrap(), "second\n");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "third\n");
    }

    #[test]
    fn a_file_that_is_full_from_before_is_turned_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, "0123456789").unwrap();

        (&BoundedFile::open_bounded(&path, 10).unwrap()).write_all(b"next\n").unwrap();

        assert_eq!(std::fs::read_to_string(&path).unwrap(), "next\n");
    }
}
