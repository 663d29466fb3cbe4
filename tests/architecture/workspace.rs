//! What cargo knows of the workspace.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A package of the workspace.
pub(super) struct Package {
    /// What it depends on outside of its tests.
    pub(super) dependencies: Vec<String>,
    /// What only its tests depend on.
    pub(super) dev_dependencies: Vec<String>,
}

/// The folder of the workspace.
pub(super) fn root() -> PathBuf {
    let daemon = Path::new(env!("CARGO_MANIFEST_DIR"));
    daemon.ancestors().nth(2).expect("the package lies two folders below the root").to_owned()
}

/// The packages of the workspace by name.
pub(super) fn packages() -> BTreeMap<String, Package> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs: it runs this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let packages = metadata["packages"].as_array().expect("there is a list of packages");
    packages.iter().map(|package| (text(&package["name"]), read(package))).collect()
}

fn read(package: &Value) -> Package {
    let all = package["dependencies"].as_array().expect("each package has a list of dependencies");
    let of_kind = |is_dev: bool| {
        let wanted = all.iter().filter(|dependency| (dependency["kind"] == "dev") == is_dev);
        wanted.map(|dependency| text(&dependency["name"])).collect()
    };
    Package { dependencies: of_kind(false), dev_dependencies: of_kind(true) }
}

fn text(value: &Value) -> String {
    value.as_str().expect("names are text").to_owned()
}
