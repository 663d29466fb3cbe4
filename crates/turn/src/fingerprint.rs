//! Hashes that stay the same from build to build, whatever the order of an object's keys.

use serde_json::{Number, Value};

use crate::Effect;

/// Hashes what an input caused, for the journal. The same effects have the same hash in every build.
#[must_use]
pub fn effects_hash(effects: &[Effect]) -> u64 {
    let json = serde_json::to_value(effects).expect("effects are plain data with text keys");
    Fingerprint::default().json(&json).value()
}

/// FNV-1a with 64 bits: the hashes of the standard library may change with any release.
#[derive(Clone, Copy)]
pub(crate) struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    pub(crate) fn value(self) -> u64 {
        self.0
    }

    /// Adds a text; its length comes first, so that two texts never run into each other.
    #[must_use]
    pub(crate) fn text(self, text: &str) -> Self {
        self.number(text.len() as u64).bytes(text.as_bytes())
    }

    /// Adds a JSON value.
    #[must_use]
    pub(crate) fn json(self, value: &Value) -> Self {
        match value {
            Value::Null => self.bytes(b"z"),
            Value::Bool(true) => self.bytes(b"t"),
            Value::Bool(false) => self.bytes(b"f"),
            Value::Number(number) => self.bytes(b"n").json_number(number),
            Value::String(text) => self.bytes(b"s").text(text),
            Value::Array(items) => {
                let start = self.bytes(b"a").number(items.len() as u64);
                items.iter().fold(start, Self::json)
            }
            Value::Object(entries) => self.bytes(b"o").object(entries),
        }
    }

    /// Adds an object, its keys in alphabetical order.
    #[must_use]
    pub(crate) fn object(self, entries: &serde_json::Map<String, Value>) -> Self {
        let mut sorted: Vec<_> = entries.iter().collect();
        sorted.sort_unstable_by_key(|(key, _)| *key);
        let start = self.number(sorted.len() as u64);
        sorted.into_iter().fold(start, |hash, (key, value)| hash.text(key).json(value))
    }

    /// A fraction that went through a file may come back off by its last bit, so the last twelve are rounded away.
    fn json_number(self, number: &Number) -> Self {
        if let Some(whole) = number.as_i64() {
            return self.bytes(b"i").number(whole.cast_unsigned());
        }
        if let Some(whole) = number.as_u64() {
            return self.bytes(b"u").number(whole);
        }
        let bits = number.as_f64().unwrap_or_default().to_bits();
        self.bytes(b"d").number(bits.saturating_add(1 << 11) >> 12)
    }

    fn number(self, number: u64) -> Self {
        self.bytes(&number.to_le_bytes())
    }

    fn bytes(self, bytes: &[u8]) -> Self {
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        Self(bytes.iter().fold(self.0, step))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn hash(value: &Value) -> u64 {
        Fingerprint::default().json(value).value()
    }

    #[test]
    fn the_order_of_keys_does_not_matter() {
        let one = json!({"a": 1, "b": {"c": [1, 2], "d": null}});
        let other = json!({"b": {"d": null, "c": [1, 2]}, "a": 1});

        assert_eq!(hash(&one), hash(&other));
    }

    #[test]
    fn what_differs_has_another_hash() {
        let values = [
            json!(null),
            json!(false),
            json!(0),
            json!(0.5),
            json!(""),
            json!("0"),
            json!([]),
            json!({}),
            json!([[1], 2]),
            json!([1, [2]]),
            json!({"a": "bc"}),
            json!({"ab": "c"}),
        ];

        let mut hashes: Vec<u64> = values.iter().map(hash).collect();
        hashes.sort_unstable();
        hashes.dedup();

        assert_eq!(hashes.len(), values.len());
    }

    #[test]
    fn a_fraction_off_by_its_last_bit_is_the_same() {
        let fraction = 0.123_456_789_f64;
        let neighbour = f64::from_bits(fraction.to_bits() + 1);

        assert_eq!(hash(&json!(fraction)), hash(&json!(neighbour)));
        assert_ne!(hash(&json!(1_764_566_678.123)), hash(&json!(1_764_566_678.456)));
    }

    /// Hashes are on disk: a change here makes every stored journal differ.
    #[test]
    fn the_hash_of_an_effect_is_the_same_in_every_build() {
        let effects = [Effect::Wait { ms: 2000 }, Effect::AbortModel];

        assert_eq!(effects_hash(&effects), 16_994_537_604_986_138_625);
        assert_ne!(effects_hash(&effects), effects_hash(&effects[..1]));
    }
}
