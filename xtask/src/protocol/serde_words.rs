//! What serde's attributes say.

use syn::{Attribute, Expr, Lit, LitStr, Meta, Variant};

use crate::shell::Result;

/// The attributes of a type, a field or a variant.
#[derive(Default)]
pub(super) struct Words {
    pub(super) rename: Option<String>,
    /// A rule for the names inside.
    rename_all: Option<String>,
    /// The field that says which variant it is.
    pub(super) tag: Option<String>,
    /// What is missing has a value.
    pub(super) default: bool,
    /// What has no value is left out.
    pub(super) left_out: bool,
    pub(super) flatten: bool,
}

impl Words {
    pub(super) fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut words = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
            let read = attribute.parse_nested_meta(|meta| {
                let text = || meta.value()?.parse::<LitStr>().map(|text| text.value());
                let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
                match name.as_str() {
                    "rename" => words.rename = Some(text()?),
                    "rename_all" => words.rename_all = Some(text()?),
                    "tag" => words.tag = Some(text()?),
                    "skip_serializing_if" => words.left_out = text()? == "Option::is_none",
                    "default" => {
                        words.default = true;
                        if meta.input.peek(syn::Token![=]) {
                            text()?;
                        }
                    }
                    "flatten" => words.flatten = true,
                    _ => return Err(meta.error("not known here")),
                }
                Ok(())
            });
            read.map_err(|error| format!("serde attribute: {error}"))?;
        }
        Ok(words)
    }

    /// What a variant is called.
    pub(super) fn variant(&self, variant: &Variant) -> Result<String> {
        let own = Self::of(&variant.attrs)?;
        let name = variant.ident.to_string();
        match (own.rename, self.rename_all.as_deref()) {
            (Some(own), _) => Ok(own),
            (None, Some("lowercase")) => Ok(name.to_lowercase()),
            (None, Some("kebab-case")) => Ok(kebab(&name)),
            (None, None) => Ok(name),
            (None, Some(other)) => Err(format!("variants in {other} are not known here")),
        }
    }

    /// Names of fields are as in Rust.
    pub(super) fn check_fields(&self) -> Result<()> {
        match &self.rename_all {
            None => Ok(()),
            Some(rule) => Err(format!("fields in {rule}: the page has them as Rust does")),
        }
    }
}

fn kebab(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

/// Whether it derives one of serde's traits.
pub(super) fn is_ours(attributes: &[Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("derive")).any(|derive| {
        let mut ours = false;
        // What cannot be read as a list of paths derives nothing of ours.
        let _ = derive.parse_nested_meta(|meta| {
            let last = meta.path.segments.last().map(|segment| segment.ident.to_string());
            ours |= matches!(last.as_deref(), Some("Serialize" | "Deserialize"));
            Ok(())
        });
        ours
    })
}

/// The doc comment, as one text with links as plain words.
pub(super) fn docs(attributes: &[Attribute]) -> String {
    let line = |attribute: &Attribute| match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    };
    attributes.iter().filter_map(line).collect::<Vec<_>>().join(" ").trim().to_owned()
}
