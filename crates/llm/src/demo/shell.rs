//! Names and scripts as a shell takes them.

use super::path;

/// The command that starts a script.
pub(super) fn start_script(file: &str) -> String {
    let word = shell_word(file);
    let interpreter = match path::extension(file) {
        Some("py") => "python3",
        Some("sh" | "bash") => "bash",
        Some("js" | "mjs") => "node",
        Some("rb") => "ruby",
        Some("pl") => "perl",
        _ if file.contains('/') => return word,
        _ => return format!("./{word}"),
    };
    format!("{interpreter} {word}")
}

/// A name as a shell takes it for one word.
pub(super) fn shell_word(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+@%~=".contains(c);
    if name.starts_with('-') {
        return shell_word(&format!("./{name}"));
    }
    if !name.is_empty() && name.chars().all(plain) {
        return name.to_owned();
    }
    let (home, rest) = name.strip_prefix("~/").map_or(("", name), |rest| ("~/", rest));
    format!("{home}'{}'", rest.replace('\'', r"'\''"))
}
