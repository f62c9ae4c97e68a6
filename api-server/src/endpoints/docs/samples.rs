//! Samples of each operation: its recorded example as a command and as a call by each client
//! package. They end the operation's description, in the order of [`languages`], of which style
//! sheets show one.
//!
//! [`languages`]: super::start

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The parameter, or member of a body, with the version of the row to change.
const VERSION_HASH: &str = "versionHash";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationSamples {
    /// A command for a shell with the variables `API`, `TOKEN` and `VERSION_HASH`.
    pub curl: String,
    /// An expression over a `session`, bytes named `content` or `xml`, and a `version_hash`.
    pub python: String,
    /// The same in TypeScript, with a `versionHash`.
    pub typescript: String,
}

/// Returns the samples of a document's operations, by operation id.
pub fn by_operation(document: &Value) -> BTreeMap<String, OperationSamples> {
    let paths = document["paths"].as_object().into_iter().flatten();
    let operations = paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().into_iter().flatten();
        methods.map(move |(method, operation)| RecordedExample { path, method, operation })
    });
    operations.map(|example| (example.id().to_owned(), example.samples())).collect()
}

/// Ends the description of each operation of a document with its samples.
pub(super) fn add(document: &mut Value) {
    let samples = by_operation(document);
    let methods = document["paths"].as_object_mut().into_iter().flatten();
    let operations = methods.filter_map(|(_, methods)| methods.as_object_mut()).flatten();
    for (_, operation) in operations {
        let id = operation["operationId"].as_str().unwrap_or_default();
        let Some(OperationSamples { curl, python, typescript }) = samples.get(id) else { continue };
        let samples = [curl, python, typescript].map(|sample| format!("\n\n```\n{sample}\n```"));
        let description = operation["description"].as_str().unwrap_or_default();
        operation["description"] = Value::from(description.to_owned() + &samples.concat());
    }
}

/// An operation with the values of its example.
struct RecordedExample<'a> {
    path: &'a str,
    method: &'a str,
    operation: &'a Value,
}

enum ExampleBody<'a> {
    None,
    Json { schema: &'a str, is_list: bool, value: &'a Value },
    Xml,
    Form,
}

impl RecordedExample<'_> {
    fn samples(&self) -> OperationSamples {
        let (python, typescript) = (self.in_python(), self.in_typescript());
        match self.version_hash() {
            None => OperationSamples { curl: self.in_curl(), python, typescript },
            Some(recorded) => {
                let literal = format!("\"{recorded}\"");
                OperationSamples {
                    curl: self.in_curl().replace(recorded, "$VERSION_HASH"),
                    python: python.replace(&literal, "version_hash"),
                    typescript: typescript.replace(&literal, "versionHash"),
                }
            }
        }
    }

    /// The version of the row in the example, which another row, or the same one later, does not
    /// have.
    fn version_hash(&self) -> Option<&str> {
        let mut parameters = self.parameters();
        let parameter = parameters.find(|(name, ..)| *name == VERSION_HASH);
        let value = parameter.map(|(_, value, _)| value).or_else(|| match self.body() {
            ExampleBody::Json { value, .. } => value.get(VERSION_HASH),
            _ => None,
        });
        value?.as_str()
    }

    /// Returns the parameters with a value in the example, in their order: name, value, parameter.
    fn parameters(&self) -> impl Iterator<Item = (&str, &Value, &Value)> {
        let parameters = self.operation["parameters"].as_array().into_iter().flatten();
        parameters.filter_map(|parameter| {
            Some((parameter["name"].as_str()?, parameter.get("example")?, parameter))
        })
    }

    /// A key for a request that accepts one: each operation's own, so that samples can be run one
    /// after the other.
    fn key(&self) -> Option<String> {
        let mut parameters = self.operation["parameters"].as_array().into_iter().flatten();
        let accepts_key = parameters.any(|parameter| parameter["name"] == "Idempotency-Key");
        accepts_key.then(|| format!("{}-1", self.id().replace('_', "-")))
    }

    fn body(&self) -> ExampleBody<'_> {
        let content = &self.operation["requestBody"]["content"];
        let json = &content["application/json"];
        if content["multipart/form-data"].is_object() {
            return ExampleBody::Form;
        }
        if content["application/xml"].is_object() {
            return ExampleBody::Xml;
        }
        let is_list = json["schema"]["type"] == "array";
        let schema = if is_list { &json["schema"]["items"] } else { &json["schema"] };
        let name = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
        match name {
            Some(schema) => ExampleBody::Json { schema, is_list, value: &json["example"] },
            None => ExampleBody::None,
        }
    }

    fn in_curl(&self) -> String {
        let mut path = self.path.to_owned();
        let mut query = Vec::new();
        for (name, value, parameter) in self.parameters() {
            match parameter["in"] == "query" {
                true => query.push((name, text_of(value))),
                false => path = path.replace(&format!("{{{name}}}"), &text_of(value)),
            }
        }
        if let Ok(query) = serde_urlencoded::to_string(query)
            && !query.is_empty()
        {
            path = format!("{path}?{query}");
        }
        let mut lines = vec!["curl -H \"Authorization: Bearer $TOKEN\"".to_owned()];
        if let Some(key) = self.key() {
            lines.push(format!("-H \"Idempotency-Key: {key}\""));
        }
        match self.body() {
            ExampleBody::None => {}
            ExampleBody::Json { value, .. } => {
                lines.push("-H \"Content-Type: application/json\"".to_owned());
                let body = value.to_string().replace('\'', r"'\''");
                let body = match self.version_hash() {
                    None => body,
                    // The shell replaces variables only outside single quotation marks.
                    Some(hash) => body.replace(hash, &format!("'{hash}'")),
                };
                lines.push(format!("-d '{body}'"));
            }
            ExampleBody::Xml => {
                lines.push("-H \"Content-Type: application/xml\"".to_owned());
                lines.push("--data-binary @loans.xml".to_owned());
            }
            ExampleBody::Form => lines.push("-F file=@scan.png -F name=\"A scan\"".to_owned()),
        }
        let implied = match self.body() {
            ExampleBody::None => "get",
            _ => "post",
        };
        let method = match self.method == implied {
            true => String::new(),
            false => format!("-X {} ", self.method.to_uppercase()),
        };
        lines.push(format!("{method}\"$API{path}\""));
        lines.join(" \\\n     ")
    }

    fn in_python(&self) -> String {
        let mut arguments: Vec<String> = self
            .parameters()
            .map(|(name, value, _)| format!("{}={}", python_name(name), python(value)))
            .collect();
        match self.body() {
            ExampleBody::None => {}
            ExampleBody::Json { schema, is_list: false, value } => arguments.push(format!(
                "{}={schema}.from_dict({})",
                snake_case(schema),
                python(value)
            )),
            ExampleBody::Json { schema, is_list: true, value } => {
                let items = value.as_array().into_iter().flatten();
                let items = items.map(|item| format!("{schema}.from_dict({})", python(item)));
                let items: Vec<String> = items.collect();
                arguments.push(format!("{}=[{}]", snake_case(schema), items.join(", ")));
            }
            ExampleBody::Xml => arguments.push("body=xml".to_owned()),
            ExampleBody::Form => {
                arguments.push("file=(\"scan.png\", content)".to_owned());
                arguments.push("name=\"A scan\"".to_owned());
            }
        }
        if let Some(key) = self.key() {
            arguments.push(format!("idempotency_key=\"{key}\""));
        }
        format!("{}(session).{}{}", self.class(), self.id(), enclosed("(", &arguments, ")"))
    }

    fn in_typescript(&self) -> String {
        let mut members: Vec<String> = self
            .parameters()
            .map(|(name, value, parameter)| match parameter["schema"]["format"] == "date-time" {
                true => format!("{}: new Date({value})", camel_case(name)),
                false => format!("{}: {value}", camel_case(name)),
            })
            .collect();
        match self.body() {
            ExampleBody::None => {}
            ExampleBody::Json { schema, is_list: false, value } => {
                members.push(format!("{}: {schema}FromJSON({value})", camel_case(schema)));
            }
            ExampleBody::Json { schema, is_list: true, value } => {
                let name = camel_case(schema);
                members.push(format!("{name}: {value}.map({schema}FromJSON)"));
            }
            ExampleBody::Xml => members.push("body: new Blob([xml])".to_owned()),
            ExampleBody::Form => {
                members.push("file: new File([content], \"scan.png\")".to_owned());
                members.push("name: \"A scan\"".to_owned());
            }
        }
        if let Some(key) = self.key() {
            members.push(format!("idempotencyKey: \"{key}\""));
        }
        let argument = match members.is_empty() {
            true => "()".to_owned(),
            false => enclosed("({ ", &members, " })"),
        };
        let method = camel_case(self.id());
        format!("await new {}(session.configuration).{method}{argument}", self.class())
    }

    fn id(&self) -> &str {
        self.operation["operationId"].as_str().unwrap_or_default()
    }

    /// Returns the class of the operation in generated clients.
    fn class(&self) -> String {
        let tag = self.operation["tags"][0].as_str().unwrap_or_default();
        tag.split(' ').map(capitalized).collect::<String>() + "Api"
    }
}

/// Returns arguments between brackets, in lines of their own if they do not fit into one.
fn enclosed(open: &str, arguments: &[String], close: &str) -> String {
    const LINE_CHARACTERS: usize = 60;
    let line = arguments.join(", ");
    if line.len() <= LINE_CHARACTERS {
        return format!("{open}{line}{close}");
    }
    let lines = arguments.join(",\n    ");
    format!("{}\n    {lines}\n{}", open.trim_end(), close.trim_start())
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns a value as a literal of Python.
fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(python).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => python_members(members),
        Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

fn python_members(members: &Map<String, Value>) -> String {
    let members = members.iter().map(|(name, value)| format!("{name:?}: {}", python(value)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
}

/// Returns the name of a parameter in the generated client, where some names are taken.
fn python_name(name: &str) -> String {
    match name {
        "date" | "field" => format!("var_{name}"),
        _ => snake_case(name),
    }
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// Returns `loanNumber` or `LoanNumber` as `loan_number`.
fn snake_case(name: &str) -> String {
    let mut written = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !written.is_empty() {
            written.push('_');
        }
        written.extend(letter.to_lowercase());
    }
    written
}

/// Returns `loan_number` or `LoanNumber` as `loanNumber`.
fn camel_case(name: &str) -> String {
    let words = name.split('_').map(capitalized).collect::<String>();
    let mut letters = words.chars();
    letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::router;

    fn samples(id: &str) -> OperationSamples {
        let document: Value = serde_json::from_str(router::document()).unwrap();
        by_operation(&document)[id].clone()
    }

    #[test]
    fn a_sample_reads_with_the_values_of_the_example() {
        let OperationSamples { curl, python, typescript } = samples("get_loan");
        assert_eq!(curl, "curl -H \"Authorization: Bearer $TOKEN\" \\\n     \"$API/loans/1\"");
        assert_eq!(python, "LoansApi(session).get_loan(loan_id=1)");
        assert_eq!(typescript, "await new LoansApi(session.configuration).getLoan({ loanId: 1 })");
    }

    #[test]
    fn a_sample_writes_under_a_key() {
        let OperationSamples { curl, python, typescript } = samples("post_payment");
        assert!(curl.contains("-H \"Idempotency-Key: post-payment-1\""), "{curl}");
        assert!(curl.contains("-d '{\"Amount\":"), "{curl}");
        assert!(!curl.contains("-X"), "{curl}");
        assert!(python.contains("new_payment=NewPayment.from_dict({\"Amount\": "), "{python}");
        assert!(typescript.contains("newPayment: NewPaymentFromJSON({\"Amount\":"), "{typescript}");
    }

    #[test]
    fn a_sample_changes_the_version_that_was_read() {
        let OperationSamples { curl, python, typescript } = samples("change_document");
        assert!(curl.contains(r#""versionHash":"'$VERSION_HASH'""#), "{curl}");
        assert!(python.contains("\"versionHash\": version_hash"), "{python}");
        assert!(typescript.contains("\"versionHash\":versionHash"), "{typescript}");
        let OperationSamples { curl, python, typescript } = samples("remove_document");
        assert!(curl.ends_with("/documents/9?versionHash=$VERSION_HASH\""), "{curl}");
        assert!(python.contains("version_hash=version_hash"), "{python}");
        assert!(typescript.contains("versionHash: versionHash"), "{typescript}");
    }
}
