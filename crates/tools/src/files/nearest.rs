//! What there is in the place of a path that does not exist.

use std::fs;
use std::path::Path;

use crate::text::{clip, count};

/// Names of a folder that are looked at.
const MOST_LOOKED_AT: usize = 10_000;

/// Names that are told.
const MOST_TOLD: usize = 5;

/// Tells the names that are most like the first part of the path that is missing, else what its folder holds.
pub(crate) fn what_there_is(missing: &Path) -> String {
    let Some(folder) = missing.ancestors().skip(1).find(|ancestor| ancestor.is_dir()) else {
        return "nor does anything above it".to_owned();
    };
    let wanted = missing.strip_prefix(folder).ok().and_then(|rest| rest.components().next());
    let wanted = wanted.map(|part| part.as_os_str().to_string_lossy().into_owned()).unwrap_or_default();
    let names = names_in(folder);
    let near = nearest(&wanted, &names);
    if !near.is_empty() {
        return format!("did you mean {} in `{}`?", list(&near), folder.display());
    }
    let first: Vec<&str> = names.iter().take(MOST_TOLD).map(String::as_str).collect();
    match names.len() {
        0 => format!("`{}` is empty", folder.display()),
        all if all > first.len() => {
            let others = count((all - first.len()) as u64, "other", "others");
            format!("`{}` holds {} and {others}", folder.display(), list(&first))
        }
        _ => format!("`{}` holds {}", folder.display(), list(&first)),
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_LOOKED_AT);
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{}`", clip(name, 100))).collect::<Vec<_>>().join(", ")
}

fn nearest<'a>(wanted: &str, names: &'a [String]) -> Vec<&'a str> {
    let wanted = wanted.to_lowercase();
    let mut near: Vec<(usize, &str)> = names
        .iter()
        .filter_map(|name| Some((distance_if_near(&wanted, &name.to_lowercase())?, name.as_str())))
        .collect();
    near.sort();
    near.into_iter().take(MOST_TOLD).map(|(_, name)| name).collect()
}

/// How far apart two names are, where one may well have been meant by the other: at most a third of the letters differ, or one is
/// the beginning of the other, as with a forgotten ending.
fn distance_if_near(wanted: &str, name: &str) -> Option<usize> {
    let begins = wanted.len() >= 3 && (name.starts_with(wanted) || wanted.starts_with(name) && name.len() >= 3);
    let longest = wanted.chars().count().max(name.chars().count());
    let distance = distance(wanted, name);
    (begins || distance <= (longest / 3).max(1)).then_some(distance)
}

/// The number of letters to change, add or remove.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, letter) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, other) in right.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_changed_letters() {
        for (left, right, apart) in
            [("", "", 0), ("main", "main", 0), ("mian", "main", 2), ("", "abc", 3), ("kitten", "sitting", 3)]
        {
            assert_eq!(distance(left, right), apart, "{left} {right}");
        }
    }

    #[test]
    fn the_nearest_name_comes_first_and_strangers_not_at_all() {
        let names = ["main.rs", "maine.rs", "README.md", "zebra"].map(str::to_owned);

        assert_eq!(nearest("main.r", &names), ["main.rs", "maine.rs"]);
        assert_eq!(nearest("readme", &names), ["README.md"]);
        assert!(nearest("queue", &names).is_empty());
    }

    #[test]
    fn a_missing_folder_is_what_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("source")).unwrap();

        let told = what_there_is(&folder.path().join("sorce/deep/file.txt"));

        assert!(told.starts_with("did you mean `source` in"), "{told}");
    }

    #[test]
    fn without_a_near_name_it_tells_what_the_folder_holds() {
        let folder = tempfile::tempdir().unwrap();
        assert!(what_there_is(&folder.path().join("x")).ends_with("is empty"));
        for name in ["a1", "b1", "c1", "d1", "e1", "f1", "g1"] {
            fs::write(folder.path().join(name), "").unwrap();
        }

        let told = what_there_is(&folder.path().join("something else"));

        assert!(told.ends_with("holds `a1`, `b1`, `c1`, `d1`, `e1` and 2 others"), "{told}");
    }
}
