//! One reading of a text.

use serde_json::Value;

use crate::document::read_value;
use crate::outside::{Outside, Rest};
use crate::reader::Reader;
use crate::repaired::{RepairKind, Repaired};
use crate::{Error, Limits, strict};

/// Reads a text as valid JSON, else with repairs.
pub(crate) fn attempt(text: &[u8], limits: Limits) -> Result<Repaired, Error> {
    if text.len() > limits.bytes {
        return Err(Error::TooLarge { size: text.len(), limit: limits.bytes });
    }
    let text = decode(text)?;
    match strict::parse(text, limits) {
        Some(value) => Ok(Repaired { value, repairs: Vec::new(), truncated: false }),
        None => read_leniently(Reader::over(text), limits),
    }
}

/// Refuses what is not UTF-8: what stood there is not known.
fn decode(text: &[u8]) -> Result<&str, Error> {
    str::from_utf8(text).map_err(|error| match error.error_len() {
        None => Error::Truncated { open: "character", at: error.valid_up_to() },
        Some(_) => Error::invalid("a byte that is not UTF-8", error.valid_up_to()),
    })
}

fn read_leniently(mut reader: Reader<'_>, limits: Limits) -> Result<Repaired, Error> {
    let (value, truncated) = read_text(&mut reader, limits)?;
    Ok(Repaired { value, repairs: reader.into_repairs(), truncated })
}

/// Reads one value, the same value again where it was sent twice, and what stands around. Says whether that is open at the end.
pub(crate) fn read_text(reader: &mut Reader<'_>, limits: Limits) -> Result<(Value, bool), Error> {
    let start = reader.past_space(0);
    if reader.char_at(start).is_none() {
        return Err(Error::Empty);
    }
    let mut outside = Outside::before(reader)?;
    let value = read_value(reader, limits.depth())?;
    loop {
        match outside.after(reader, &value)? {
            Rest::End => break,
            Rest::Value(at) => {
                if read_value(reader, limits.depth())? != value {
                    return Err(Error::ambiguous("a second, different value", at));
                }
                reader.note(RepairKind::RepeatedValue, at);
            }
        }
    }
    Ok((value, outside.is_open()))
}
