//! What a command may reach of the machine.

use std::io;

use serde::{Deserialize, Serialize};

/// What of it could not be put in force.
pub type Error = io::Error;

/// What a command may reach of the machine: made where settings are known, put in force where the command begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {}

impl Plan {
    /// Everything that Cowhand itself may reach.
    #[must_use]
    pub fn none() -> Self {
        Self {}
    }

    /// Puts it in force for this process and all that it starts.
    ///
    /// # Errors
    ///
    /// Where the system does not provide what the plan asks for.
    pub fn enter(&self) -> Result<(), Error> {
        Ok(())
    }
}
