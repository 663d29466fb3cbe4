//! From a Rust type to what a model is told of a tool.

use chat::ToolSpec;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

/// Describes the tool that takes `T`: the doc comment of the type is its description, those of the fields tell the arguments.
///
/// Only what a model can use is left in the schema, since all of it is sent with every request.
#[must_use]
pub fn spec_of<T: JsonSchema>(name: &str) -> ToolSpec {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let generator = settings.with_transform(RecursiveTransform(strip)).into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    let description = match schema.remove("description") {
        Some(Value::String(text)) => text,
        _ => String::new(),
    };
    if schema.get("properties").is_none() {
        schema.insert("properties".to_owned(), json!({}));
    }
    ToolSpec { name: name.to_owned(), description, parameters: schema.to_value() }
}

fn strip(schema: &mut Schema) {
    for noise in ["title", "format"] {
        schema.remove(noise);
    }
    // An argument that may be left out is simply not required; `null` would be one more thing to send.
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = schema.get_mut("enum") {
        choices.retain(|choice| !choice.is_null());
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = unwrap_lines(text);
    }
}

/// Joins the lines of each paragraph, and puts each paragraph on a line of its own.
fn unwrap_lines(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| paragraph.lines().collect::<Vec<_>>().join(" "));
    paragraphs.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Does a thing.
    ///
    /// It is done in
    /// two lines.
    #[derive(JsonSchema)]
    #[allow(dead_code)]
    struct Sample {
        /// Where to.
        title: String,
        /// How often.
        count: Option<i64>,
        /// How.
        manner: Option<Manner>,
    }

    #[derive(JsonSchema)]
    #[serde(rename_all = "lowercase")]
    #[allow(dead_code)]
    enum Manner {
        Fast,
        Slow,
    }

    #[derive(JsonSchema)]
    struct Nothing {}

    #[test]
    fn a_type_becomes_a_spec_without_noise() {
        let spec = spec_of::<Sample>("sample");

        assert_eq!(spec.description, "Does a thing.\nIt is done in two lines.");
        let expected = json!({
            "type": "object",
            "properties": {
                "title": {"description": "Where to.", "type": "string"},
                "count": {"description": "How often.", "type": "integer"},
                "manner": {"description": "How.", "type": "string", "enum": ["fast", "slow"]},
            },
            "required": ["title"],
        });
        assert_eq!(spec.parameters, expected);
    }

    #[test]
    fn a_type_without_fields_is_still_an_object_with_properties() {
        assert_eq!(spec_of::<Nothing>("nothing").parameters, json!({"type": "object", "properties": {}}));
    }
}
