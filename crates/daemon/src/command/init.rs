//! `cowhand init`.

use crate::cli::{InitArgs, PlaceArgs};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};

/// Sets up.
pub(crate) fn run(_args: &InitArgs, _places: &PlaceArgs, _environment: &Environment) -> Result<Exit, Failure> {
    Err(Failure::usage("`init` is not there yet; `cowhand config show` lists what can be set"))
}
