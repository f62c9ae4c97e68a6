//! Samples of each operation: its recorded example as a command and as a call by each client
//! package. They end the operation's description, in the order of [`languages`], of which style
//! sheets show one.
//!
//! [`languages`]: super::start

use serde_json::{Map, Value};

/// Ends the description of each operation of a document with its samples.
pub(super) fn add(document: &mut Value) {
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    for (path, methods) in paths {
        for (method, operation) in methods.as_object_mut().into_iter().flatten() {
            let description = operation["description"].as_str().unwrap_or_default();
            let example = RecordedExample { path, method, operation };
            let samples = [example.command(), example.in_python(), example.in_typescript()];
            let samples = samples.map(|sample| format!("\n\n```\n{sample}\n```"));
            operation["description"] = Value::from(description.to_owned() + &samples.concat());
        }
    }
}

/// An operation with the values of its example.
struct RecordedExample<'a> {
    path: &'a str,
    method: &'a str,
    operation: &'a Value,
}

/// The body of a request.
enum ExampleBody<'a> {
    None,
    Json { schema: &'a str, is_list: bool, value: &'a Value },
    Xml,
    Form,
}

/// Key in samples of requests that accept one.
const KEY: &str = "example-1";

impl RecordedExample<'_> {
    /// Returns the parameters with a value in the example, in their order.
    fn parameters(&self) -> impl Iterator<Item = (&str, &Value, bool)> {
        let parameters = self.operation["parameters"].as_array().into_iter().flatten();
        parameters.filter_map(|parameter| {
            let name = parameter["name"].as_str()?;
            let value = parameter.get("example")?;
            Some((name, value, parameter["in"] == "query"))
        })
    }

    fn accepts_key(&self) -> bool {
        let mut parameters = self.operation["parameters"].as_array().into_iter().flatten();
        parameters.any(|parameter| parameter["name"] == "Idempotency-Key")
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

    fn command(&self) -> String {
        let mut path = self.path.to_owned();
        let mut query = Vec::new();
        for (name, value, is_in_query) in self.parameters() {
            match is_in_query {
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
        if self.accepts_key() {
            lines.push(format!("-H \"Idempotency-Key: {KEY}\""));
        }
        match self.body() {
            ExampleBody::None => {}
            ExampleBody::Json { value, .. } => {
                lines.push("-H \"Content-Type: application/json\"".to_owned());
                lines.push(format!("-d '{}'", value.to_string().replace('\'', r"'\''")));
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
            .map(|(name, value, _)| format!("{}={}", snake_case(name), python(value)))
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
        if self.accepts_key() {
            arguments.push(format!("idempotency_key=\"{KEY}\""));
        }
        format!("{}(session).{}({})", self.class(), self.id(), listed(&arguments, "    "))
    }

    fn in_typescript(&self) -> String {
        let mut members: Vec<String> = self
            .parameters()
            .map(|(name, value, _)| format!("{}: {value}", camel_case(name)))
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
        if self.accepts_key() {
            members.push(format!("idempotencyKey: \"{KEY}\""));
        }
        let argument = match members.is_empty() {
            true => String::new(),
            false => format!("{{ {} }}", listed(&members, "    ")),
        };
        let argument = argument.replace("{ \n", "{\n").replace("\n }", "\n}");
        let method = camel_case(self.id());
        format!("await new {}(session.configuration).{method}({argument})", self.class())
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

/// Joins arguments, in lines of their own if they do not fit into one.
fn listed(arguments: &[String], indent: &str) -> String {
    const LINE_CHARACTERS: usize = 60;
    let line = arguments.join(", ");
    match line.len() <= LINE_CHARACTERS {
        true => line,
        false => format!("\n{indent}{}\n", arguments.join(&format!(",\n{indent}"))),
    }
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

    fn samples(path: &str, method: &str) -> [String; 3] {
        let document: Value = serde_json::from_str(router::document()).unwrap();
        let operation = &document["paths"][path][method];
        let example = RecordedExample { path, method, operation };
        [example.command(), example.in_python(), example.in_typescript()]
    }

    #[test]
    fn a_sample_reads_with_the_values_of_the_example() {
        let [command, python, typescript] = samples("/loans/{loan_id}", "get");
        assert_eq!(command, "curl -H \"Authorization: Bearer $TOKEN\" \\\n     \"$API/loans/1\"");
        assert_eq!(python, "LoansApi(session).get_loan(loan_id=1)");
        assert_eq!(typescript, "await new LoansApi(session.configuration).getLoan({ loanId: 1 })");
    }

    #[test]
    fn a_sample_writes_under_a_key() {
        let [command, python, typescript] =
            samples("/loans/{loan_id}/transactions/payments", "post");
        assert!(command.contains("-H \"Idempotency-Key: example-1\""), "{command}");
        assert!(command.contains("-d '{\"Amount\":"), "{command}");
        assert!(!command.contains("-X"), "{command}");
        assert!(python.contains("new_payment=NewPayment.from_dict({\"Amount\": "), "{python}");
        assert!(typescript.contains("newPayment: NewPaymentFromJSON({\"Amount\":"), "{typescript}");
    }
}
