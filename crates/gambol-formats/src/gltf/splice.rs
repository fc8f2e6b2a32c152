//! Edits of a JSON text that leave every byte alone that they are not about.
//!
//! A file of the user is not written anew: a parser would lose the order of keys, the digits of numbers, white space and
//! what it does not know. Instead the places are found where something is to be inserted or replaced.

use std::ops::Range;

/// A valid JSON text and the edits to come. Spans are bytes of the text as it was given.
pub(super) struct Splice<'a> {
    text: &'a str,
    edits: Vec<(Range<usize>, String)>,
}

/// Members of an object: key, and where its value is.
type Members = Vec<(String, Range<usize>)>;

impl<'a> Splice<'a> {
    /// `text` must be valid JSON: it was parsed before.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, edits: Vec::new() }
    }

    /// Where the whole value is, without the space around it.
    pub(super) fn root(&self) -> Range<usize> {
        let start = self.skip_space(0);
        start..self.end_of_value(start)
    }

    /// The value of `key` in the object at `object`; of keys given twice the last, as parsers take it.
    pub(super) fn member(&self, object: &Range<usize>, key: &str) -> Option<Range<usize>> {
        self.members(object).into_iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The values in the array at `array`.
    pub(super) fn items(&self, array: &Range<usize>) -> Vec<Range<usize>> {
        let mut items = Vec::new();
        let mut at = self.skip_space(array.start + 1);
        while at + 1 < array.end {
            let end = self.end_of_value(at);
            items.push(at..end);
            at = self.skip_separator(end);
        }
        items
    }

    /// Replaces the value at `span`.
    pub(super) fn replace(&mut self, span: Range<usize>, with: String) {
        self.edits.push((span, with));
    }

    /// Replaces a member, key and all, with other members.
    pub(super) fn replace_member(&mut self, object: &Range<usize>, key: &str, with: &str) {
        for (start, name, value) in self.keyed(object) {
            if name == key {
                self.edits.push((start..value.end, with.to_owned()));
            }
        }
    }

    /// Removes a member, with the comma that it needed.
    pub(super) fn remove_member(&mut self, object: &Range<usize>, key: &str) {
        let members = self.keyed(object);
        for (index, (start, name, value)) in members.iter().enumerate() {
            if name == key {
                let span = match (index.checked_sub(1), members.get(index + 1)) {
                    (_, Some((next, ..))) => *start..*next,
                    (Some(before), None) => members[before].2.end..value.end,
                    (None, None) => *start..value.end,
                };
                self.edits.push((span, String::new()));
            }
        }
    }

    /// Adds values, written one after the other with commas, to the end of the array `key` of the root object, which gets
    /// one if it has none.
    pub(super) fn append(&mut self, key: &str, values: &[String]) {
        if values.is_empty() {
            return;
        }
        let values = values.join(",");
        let root = self.root();
        match self.member(&root, key) {
            Some(array) => self.insert_last(&array, values),
            None => self.insert_last(&root, format!("\"{key}\":[{values}]")),
        }
    }

    /// Adds members to the object, or values to the array, at `span`.
    pub(super) fn insert_last(&mut self, span: &Range<usize>, what: String) {
        let is_object = self.text.as_bytes()[span.start] == b'{';
        let last = if is_object {
            self.members(span).last().map(|(_, value)| value.end)
        } else {
            self.items(span).last().map(|item| item.end)
        };
        let (place, comma) = last.map_or((span.start + 1, false), |end| (end, true));
        // A second insertion at the same place follows the first.
        let comma = comma || self.edits.iter().any(|(range, _)| *range == (place..place));
        self.edits.push((place..place, if comma { format!(",{what}") } else { what }));
    }

    /// The text with all edits done.
    pub(super) fn finish(mut self) -> String {
        self.edits.sort_by_key(|(span, _)| span.start); // stable: insertions at one place keep their order
        let mut out = String::with_capacity(self.text.len());
        let mut at = 0;
        for (span, with) in &self.edits {
            out.push_str(&self.text[at..span.start]);
            out.push_str(with);
            at = span.end;
        }
        out.push_str(&self.text[at..]);
        out
    }

    fn members(&self, object: &Range<usize>) -> Members {
        self.keyed(object).into_iter().map(|(_, key, value)| (key, value)).collect()
    }

    /// Start of the key, the key, and its value.
    fn keyed(&self, object: &Range<usize>) -> Vec<(usize, String, Range<usize>)> {
        let mut members = Vec::new();
        let mut at = self.skip_space(object.start + 1);
        while at + 1 < object.end {
            let end_of_key = self.end_of_value(at);
            let key = serde_json::from_str(&self.text[at..end_of_key]).unwrap_or_default();
            let value = self.skip_space(self.skip_space(end_of_key) + 1); // past the colon
            let end = self.end_of_value(value);
            members.push((at, key, value..end));
            at = self.skip_separator(end);
        }
        members
    }

    fn skip_space(&self, from: usize) -> usize {
        let rest = &self.text.as_bytes()[from.min(self.text.len())..];
        from + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
    }

    /// To the next value of an array or object, or to its end.
    fn skip_separator(&self, from: usize) -> usize {
        let at = self.skip_space(from);
        if self.text.as_bytes().get(at) == Some(&b',') { self.skip_space(at + 1) } else { at }
    }

    /// One past the value that starts at `start`. Brackets are counted, not followed: nothing here can run out of stack.
    fn end_of_value(&self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let (mut depth, mut at) = (0_usize, start);
        while at < bytes.len() {
            match bytes[at] {
                b'"' => at = end_of_string(bytes, at),
                b'{' | b'[' => (depth, at) = (depth + 1, at + 1),
                // A number or word ends with what follows it.
                byte if depth == 0 && (byte.is_ascii_whitespace() || b",]}".contains(&byte)) => return at,
                b'}' | b']' => (depth, at) = (depth - 1, at + 1),
                _ => {
                    at += 1;
                    continue;
                }
            }
            if depth == 0 {
                return at;
            }
        }
        bytes.len()
    }
}

/// One past the closing quote of the string that starts at `start`.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// Strings with brackets, quotes and commas in them, escapes, odd space, empty and nested arrays.
    const TEXT: &str = " { \"a]\" : [ ] ,\n\t\"list\":[1 ,\"x,]\\\"}\", {\"deep\":[[2e-3]]}  ],\"n\\u0061me\":\"é\\\\\", \"num\" : -1.50 }  ";

    fn value(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn what_is_not_edited_keeps_its_bytes() {
        let splice = Splice::new(TEXT);
        let root = splice.root();
        assert_eq!(&TEXT[splice.member(&root, "name").unwrap()], "\"é\\\\\"");
        assert_eq!(&TEXT[splice.member(&root, "num").unwrap()], "-1.50");
        assert_eq!(splice.member(&root, "deep"), None);
        let list = splice.member(&root, "list").unwrap();
        let items: Vec<&str> = splice.items(&list).into_iter().map(|span| &TEXT[span]).collect();
        assert_eq!(items, ["1", "\"x,]\\\"}\"", "{\"deep\":[[2e-3]]}"]);
        assert_eq!(splice.finish(), TEXT);
    }

    #[test]
    fn values_are_appended_where_they_belong() {
        let mut splice = Splice::new(TEXT);
        splice.append("list", &["7".into(), "8".into()]);
        splice.append("list", &["9".into()]);
        splice.append("a]", &["10".into()]);
        splice.append("a]", &["11".into()]);
        splice.append("new", &["true".into()]);
        splice.append("other", &["null".into()]);
        splice.append("none", &[]);
        let number = splice.member(&splice.root(), "num").unwrap();
        splice.replace(number, "4".into());
        let mut wanted = value(TEXT);
        wanted["list"].as_array_mut().unwrap().extend([json!(7), json!(8), json!(9)]);
        wanted["a]"] = json!([10, 11]);
        (wanted["new"], wanted["other"], wanted["num"]) = (json!([true]), json!([null]), json!(4));
        let text = splice.finish();
        assert_eq!(value(&text), wanted);
        assert!(text.starts_with(" { \"a]\" : [10,11 ] ,\n\t\"list\":[1 ,\"x,]\\\"}\", {"), "{text}");
    }

    #[test]
    fn members_are_replaced_with_their_key() {
        for (text, wanted) in [
            ("{\"matrix\":[1,2],\"b\":3}", "{\"t\":0,\"b\":3}"),
            ("{ \"b\":3 , \"matrix\" : [1] }", "{ \"b\":3 , \"t\":0 }"),
        ] {
            let mut splice = Splice::new(text);
            let root = splice.root();
            splice.replace_member(&root, "matrix", "\"t\":0");
            assert_eq!(splice.finish(), wanted);
        }
    }

    #[test]
    fn members_are_removed_with_their_comma() {
        for (text, wanted) in [
            ("{\"uri\":\"a,b\", \"n\":1}", "{\"n\":1}"),
            ("{\"n\":1 , \"uri\" : 2 }", "{\"n\":1 }"),
            ("{ \"uri\": 2 }", "{  }"),
            ("{\"n\":1,\"uri\":2,\"m\":3}", "{\"n\":1,\"m\":3}"),
        ] {
            let mut splice = Splice::new(text);
            let root = splice.root();
            splice.remove_member(&root, "uri");
            assert_eq!(splice.finish(), wanted);
        }
    }

    #[test]
    fn an_empty_object_gets_members() {
        let mut splice = Splice::new("{ }");
        splice.append("a", &["1".into()]);
        splice.append("b", &["2".into()]);
        assert_eq!(value(&splice.finish()), json!({ "a": [1], "b": [2] }));
    }
}
