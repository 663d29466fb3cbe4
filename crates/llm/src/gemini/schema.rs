//! JSON Schema as far as Gemini takes it. A keyword that it does not know makes it refuse the whole request.

use serde_json::{Map, Value, json};

/// The keywords that are passed on as they are (ai.google.dev/api/caching#Schema). Left out of those there: `title` and `default`,
/// which older models refuse.
const KEYWORDS: [&str; 10] = [
    "description",
    "nullable",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "propertyOrdering",
];

/// The formats that are known; any other is refused.
const FORMATS: [&str; 7] = ["enum", "date-time", "int32", "int64", "float", "double", "byte"];

/// How many schemas one may hold when its definitions are written out. One that refers to itself has no end.
const MOST: usize = 2_000;

/// Makes a tool's schema fit; `None` where it takes no arguments, for an object without properties is refused.
pub(super) fn fit_schema(schema: &Value) -> Option<Value> {
    let fitted = Fitting { root: schema, left: MOST, open: Vec::new() }.fit(schema);
    fitted["properties"].as_object().is_some_and(|properties| !properties.is_empty()).then_some(fitted)
}

/// The writing out of one schema.
struct Fitting<'a> {
    root: &'a Value,
    left: usize,
    /// The definitions that are being written out.
    open: Vec<&'a str>,
}

impl<'a> Fitting<'a> {
    fn fit(&mut self, schema: &'a Value) -> Value {
        let Some(schema) = schema.as_object() else { return json!({ "type": "string" }) };
        if self.left == 0 {
            return json!({ "type": "object" });
        }
        self.left -= 1;
        let mut fitted = Map::new();
        for key in KEYWORDS {
            fitted.extend(schema.get(key).map(|value| (key.to_owned(), value.clone())));
        }
        if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
            merge(self.fit_definition(name), &mut fitted);
        }
        if let Some([only]) = schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
            merge(self.fit(only), &mut fitted);
        }
        add_type(schema, &mut fitted);
        add_enum(schema, &mut fitted);
        self.add_properties(schema, &mut fitted);
        self.add_items(schema, &mut fitted);
        self.add_choices(schema, fitted)
    }

    /// Writes a definition out in the place that refers to it; inside itself it is an object of any kind.
    fn fit_definition(&mut self, name: &'a str) -> Value {
        let definition = name.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        let Some(definition) = definition.filter(|_| !self.open.contains(&name)) else {
            return json!({ "type": "object" });
        };
        self.open.push(name);
        let fitted = self.fit(definition);
        self.open.pop();
        fitted
    }

    fn add_properties(&mut self, schema: &'a Map<String, Value>, fitted: &mut Map<String, Value>) {
        let Some(properties) = schema.get("properties").and_then(Value::as_object).filter(|all| !all.is_empty()) else {
            return;
        };
        let mut all = Map::new();
        for (name, property) in properties {
            all.insert(name.clone(), self.fit(property));
        }
        fitted.insert("properties".into(), all.into());
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let known = |name: &&Value| name.as_str().is_some_and(|name| properties.contains_key(name));
        let required: Vec<Value> = required.filter(known).cloned().collect();
        if !required.is_empty() {
            fitted.insert("required".into(), required.into());
        }
    }

    /// Says what an array holds: the server demands it.
    fn add_items(&mut self, schema: &'a Map<String, Value>, fitted: &mut Map<String, Value>) {
        if fitted.get("type").is_some_and(|kind| kind == "array") && !fitted.contains_key("items") {
            let items = schema.get("items").or_else(|| schema.get("prefixItems")?.get(0));
            let items = items.map_or_else(|| json!({ "type": "string" }), |items| self.fit(items));
            fitted.insert("items".into(), items);
        }
    }

    /// Adds the schemas of which a value has one. Beside `anyOf` the server wants nothing else.
    fn add_choices(&mut self, schema: &'a Map<String, Value>, mut fitted: Map<String, Value>) -> Value {
        let choices = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(*key)?.as_array());
        let Some(choices) = choices else { return Value::Object(fitted) };
        let (nulls, choices): (Vec<_>, Vec<_>) = choices.iter().partition(|choice| choice["type"] == "null");
        let mut choices: Vec<Value> = choices.into_iter().map(|choice| self.fit(choice)).collect();
        if choices.len() > 1 {
            if let (Some(about), Some(first)) = (fitted.remove("description"), choices[0].as_object_mut()) {
                first.entry("description").or_insert(about);
            }
            return json!({ "anyOf": choices });
        }
        if !nulls.is_empty() {
            fitted.insert("nullable".into(), true.into());
        }
        choices.pop().into_iter().for_each(|only| merge(only, &mut fitted));
        Value::Object(fitted)
    }
}

/// Adds what is not there yet.
fn merge(more: Value, fitted: &mut Map<String, Value>) {
    let Value::Object(more) = more else { return };
    for (key, value) in more {
        fitted.entry(key).or_insert(value);
    }
}

fn add_type(schema: &Map<String, Value>, fitted: &mut Map<String, Value>) {
    let kinds = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.as_slice(),
        Some(kind) => std::slice::from_ref(kind),
        None => &[],
    };
    if kinds.iter().any(|kind| kind == "null") {
        fitted.insert("nullable".into(), true.into());
    }
    if let Some(kind) = kinds.iter().find(|kind| **kind != "null") {
        fitted.insert("type".into(), kind.clone());
    } else if schema.contains_key("properties") {
        fitted.insert("type".into(), "object".into());
    }
    if let Some(format) = schema.get("format").filter(|format| FORMATS.iter().any(|known| *format == known)) {
        fitted.insert("format".into(), format.clone());
    }
}

/// Adds the texts of which a value is one; other values cannot be listed.
fn add_enum(schema: &Map<String, Value>, fitted: &mut Map<String, Value>) {
    let constant = schema.get("const").map(std::slice::from_ref);
    let values = schema.get("enum").and_then(Value::as_array).map(Vec::as_slice).or(constant).unwrap_or_default();
    let texts: Vec<Value> = values.iter().filter(|value| value.is_string()).cloned().collect();
    if !texts.is_empty() {
        fitted.insert("type".into(), "string".into());
        fitted.insert("enum".into(), texts.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_left_out() {
        let schema = json!({"$schema": "x", "type": "object", "additionalProperties": false, "title": "T",
            "properties": {"n": {"type": "integer", "format": "uint32", "minimum": 0, "exclusiveMaximum": 5, "default": 1},
                "when": {"type": "string", "format": "date-time", "examples": ["x"]}},
            "required": ["n", "gone"]});

        let fitted = json!({"type": "object",
            "properties": {"n": {"minimum": 0, "type": "integer"}, "when": {"type": "string", "format": "date-time"}},
            "required": ["n"]});
        assert_eq!(fit_schema(&schema), Some(fitted));
    }

    #[test]
    fn an_object_without_properties_is_left_out() {
        assert_eq!(fit_schema(&json!({"type": "object", "properties": {}})), None);
        assert_eq!(fit_schema(&Value::Null), None);
    }

    #[test]
    fn definitions_are_written_out_also_when_they_hold_themselves() {
        let schema = json!({"type": "object", "properties": {"tree": {"$ref": "#/$defs/Tree", "description": "d"}},
            "$defs": {"Tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/Tree"}}}}});

        let fitted = json!({"type": "object", "properties": {"tree": {"description": "d", "type": "object",
            "properties": {"left": {"type": "object"}}}}});
        assert_eq!(fit_schema(&schema), Some(fitted));
    }

    #[test]
    fn what_may_be_null_is_nullable() {
        let schema = json!({"type": "object", "properties": {"a": {"type": ["string", "null"]},
            "b": {"anyOf": [{"type": "integer"}, {"type": "null"}], "description": "d"}}});

        let fitted = json!({"type": "object", "properties": {"a": {"nullable": true, "type": "string"},
            "b": {"description": "d", "nullable": true, "type": "integer"}}});
        assert_eq!(fit_schema(&schema), Some(fitted));
    }

    #[test]
    fn choices_stand_alone_and_texts_are_listed() {
        let schema = json!({"type": "object", "properties": {
            "a": {"description": "d", "oneOf": [{"type": "string"}, {"type": "integer", "enum": [1, 2]}]},
            "b": {"const": "x"}, "c": {"type": "array"}, "d": {"type": "array", "items": true}}});

        let fitted = json!({"type": "object", "properties": {
            "a": {"anyOf": [{"type": "string", "description": "d"}, {"type": "integer"}]},
            "b": {"type": "string", "enum": ["x"]},
            "c": {"type": "array", "items": {"type": "string"}}, "d": {"type": "array", "items": {"type": "string"}}}});
        assert_eq!(fit_schema(&schema), Some(fitted));
    }

    #[test]
    fn definitions_that_grow_without_end_are_cut() {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
        let each: Map<String, Value> =
            names.iter().map(|name| ((*name).to_owned(), json!({"$ref": format!("#/$defs/{name}")}))).collect();
        let definition = json!({"type": "object", "properties": each});
        let definitions: Map<String, Value> =
            names.iter().map(|name| ((*name).to_owned(), definition.clone())).collect();
        let schema = json!({"type": "object", "properties": each, "$defs": definitions});

        assert!(fit_schema(&schema).expect("it has properties").to_string().len() < 1_000_000);
    }
}
