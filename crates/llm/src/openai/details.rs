//! OpenRouter's `reasoning_details`: reasoning that has to go back as it came.

use serde_json::{Map, Value, json};

use crate::draft::Draft;

/// Joins the pieces of details into those that came before. Where the chunk had no reasoning in a plain field, its text is here.
pub(super) fn add(details: &[Value], had_reasoning: bool, draft: &mut Draft) {
    for detail in details.iter().filter_map(Value::as_object) {
        let text = ["text", "summary"].iter().find_map(|key| detail.get(*key)?.as_str()).unwrap_or_default();
        if !had_reasoning {
            draft.add_reasoning(text);
        }
        join(detail, draft.reasoning_data());
    }
}

fn join(detail: &Map<String, Value>, data: &mut Value) {
    if !data.is_object() {
        *data = json!({ "reasoning_details": [] });
    }
    let Some(known) = data["reasoning_details"].as_array_mut() else { return };
    match known.iter_mut().filter_map(Value::as_object_mut).find(|known| is_same(known, detail)) {
        Some(known) => extend(known, detail),
        None => known.push(Value::Object(detail.clone())),
    }
}

/// Whether two pieces belong to one detail.
fn is_same(known: &Map<String, Value>, detail: &Map<String, Value>) -> bool {
    known.get("type") == detail.get("type") && known.get("index") == detail.get("index")
}

fn extend(known: &mut Map<String, Value>, detail: &Map<String, Value>) {
    for (key, value) in detail.iter().filter(|(_, value)| !value.is_null()) {
        match (known.get_mut(key), value) {
            (Some(Value::String(text)), Value::String(more)) if matches!(key.as_str(), "text" | "summary" | "data") => {
                text.push_str(more);
            }
            _ => {
                known.insert(key.clone(), value.clone());
            }
        }
    }
}
