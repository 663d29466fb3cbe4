//! Which model is asked, as far as settings, variables and arguments decide it.

use llm::{Choice, NameError, Named, Plan, VENDORS};

use super::{Finding, KeyPath, Place, Reading, Severity, secret};
use crate::environment::Environment;
use crate::exit::with_causes;

/// The sections of vendors.
const VENDOR_SECTIONS: &str = "models.vendors";

/// The model that `--model` or `COWHAND_MODEL` names. It ranks above all settings.
pub(crate) fn named(argument: Option<&str>, environment: &Environment) -> Option<Named> {
    let by_argument = argument.map(|text| Named { text: text.to_owned(), by: "--model".to_owned() });
    by_argument.or_else(|| {
        let text = environment.text("COWHAND_MODEL")?;
        Some(Named { text: text.to_owned(), by: "COWHAND_MODEL".to_owned() })
    })
}

/// Variables as the model's side sees them. The keys of a vendor whose section is off are hidden: with half of its settings it
/// might be asked at a server that it was not meant to be asked at.
pub(crate) fn variables<'a>(
    off: &[KeyPath],
    environment: &'a Environment,
) -> impl Fn(&str) -> Option<String> + Send + Sync + use<'a> {
    let off = off.iter().filter(|section| section.parent() == KeyPath::dotted(VENDOR_SECTIONS));
    let vendors: Vec<_> = off.filter_map(|section| llm::Vendor::find(section.last())).collect();
    move |name| {
        let hidden = vendors.iter().any(|vendor| vendor.keys.iter().any(|key| key.name == name));
        environment.text(name).filter(|_| !hidden).map(str::to_owned)
    }
}

/// Decides on a model as far as that can be done without the network.
pub(crate) fn plan(reading: &Reading, named: Option<&Named>, environment: &Environment) -> Result<Plan, Finding> {
    let off = reading.off();
    let fatal = |text| Finding { severity: Severity::Fatal, place: place_of_name(reading), text };
    let is_off = |vendor: &str| off.contains(&KeyPath::dotted(VENDOR_SECTIONS).child(vendor));
    let cannot =
        |model: &str, vendor: &str| fatal(format!("{model} cannot be asked: {VENDOR_SECTIONS}.{vendor} is off"));
    match llm::plan(named, &reading.settings.models, &variables(&off, environment)) {
        Ok(Plan::Use(Choice { model, .. })) if is_off(&model.vendor) => Err(cannot(&model.to_string(), &model.vendor)),
        // What its owner set up is not to be replaced by the demo model without a word.
        Ok(Plan::Probe) => match off.iter().find(|section| section.parent() == KeyPath::dotted(VENDOR_SECTIONS)) {
            Some(section) => Err(fatal(format!("no model can be asked: {section} is off"))),
            None => Ok(Plan::Probe),
        },
        Ok(plan) => Ok(plan),
        // A vendor of one's own is not known any more when its section is off.
        Err(NameError::UnknownVendor { vendor, .. }) if is_off(&vendor) => Err(cannot(&vendor, &vendor)),
        Err(NameError::NoVendor { text, .. }) if is_off(&text) => Err(cannot(&text, &text)),
        Err(error) => Err(fatal(error.to_string())),
    }
}

/// Where the model is named; where it is not, everything together decided on it.
fn place_of_name(reading: &Reading) -> Place {
    let path = KeyPath::dotted("models.model");
    if reading.is_default(&path) { Place::Together } else { Place::Known(reading.origin(&path)) }
}

/// What is wrong with the models of settings that are otherwise right.
pub(crate) fn check(reading: &Reading, environment: &Environment) -> Vec<Finding> {
    let mut findings = Vec::new();
    let named = named(None, environment);
    match plan(reading, named.as_ref(), environment) {
        Err(finding) => findings.push(finding),
        Ok(Plan::Probe) => {}
        Ok(Plan::Use(choice)) => {
            let lookup = variables(&reading.off(), environment);
            let endpoint = choice.endpoint(&reading.settings.models, &lookup);
            findings.extend(endpoint.err().map(|error| Finding {
                severity: Severity::Fatal,
                place: place_of_name(reading),
                text: format!("{} cannot be asked: {}", choice.model, with_causes(&error)),
            }));
        }
    }
    for (name, vendor) in &reading.settings.models.vendors {
        let Some(key) = &vendor.key else { continue };
        let origin = reading.origin(&KeyPath::dotted(VENDOR_SECTIONS).child(name).child("key"));
        let lookup = |name: &str| environment.text(name).map(str::to_owned);
        let missing = key.resolve(&lookup).err().map(|error| with_causes(&error));
        let warning = missing.or_else(|| secret::readable_by_others(key, environment));
        findings.extend(warning.map(|text| Finding {
            severity: Severity::Warning,
            place: Place::Known(origin),
            text: format!("`{VENDOR_SECTIONS}.{name}.key`: {text}"),
        }));
    }
    findings
}

/// The names of vendors that variables cannot spell, as they have a `-` in them.
pub(crate) fn names_with_dashes() -> Vec<&'static str> {
    VENDORS.iter().map(|vendor| vendor.name).filter(|name| name.contains('-')).collect()
}
