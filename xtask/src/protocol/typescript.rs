//! Types as TypeScript has them.

use std::fmt::Write as _;

use syn::{Expr, Field, Fields, GenericArgument, Item, ItemConst, ItemEnum, Lit, PathArguments, Type, UnOp};

use super::serde_words::{Words, docs};
use crate::shell::Result;

/// Longest line of a comment, letters.
const LINE: usize = 120;

/// Text, and names of the types that it needs.
type Told = (String, Vec<String>);

/// A comment.
pub(super) fn comment(about: &str, indent: &str) -> String {
    let about = about.replace("[`", "`").replace("`]", "`").replace("super::", "");
    if about.is_empty() {
        return String::new();
    }
    if indent.len() + about.len() + 8 <= LINE {
        return format!("{indent}/** {about} */\n");
    }
    let mut lines: Vec<String> = vec![String::new()];
    for word in about.split(' ') {
        let last = lines.last().map_or(0, |line| line.chars().count());
        if last > 0 && indent.len() + 3 + last + word.chars().count() > LINE {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    let lines = lines.iter().fold(String::new(), |mut all, line| {
        let _ = writeln!(all, "{indent} *{line}");
        all
    });
    format!("{indent}/**\n{lines}{indent} */\n")
}

/// A constant number or list of numbers.
pub(super) fn constant(item: &ItemConst) -> Result<String> {
    let value = number(&item.expr).map_err(|reason| format!("{}: {reason}", item.ident))?;
    Ok(format!("\n{}export const {} = {value}\n", comment(&docs(&item.attrs), ""), item.ident))
}

fn number(expression: &Expr) -> Result<String> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => Ok(number.base10_digits().to_owned()),
            Lit::Float(number) => Ok(number.base10_digits().trim_end_matches(".0").to_owned()),
            _ => Err("not a number".to_owned()),
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => Ok(format!("-{}", number(&unary.expr)?)),
        Expr::Binary(binary) if matches!(binary.op, syn::BinOp::Shl(_)) => {
            Ok(format!("{} << {}", number(&binary.left)?, number(&binary.right)?))
        }
        Expr::Array(array) => {
            let all = array.elems.iter().map(number).collect::<Result<Vec<_>>>()?;
            Ok(format!("[{}]", all.join(", ")))
        }
        _ => Err("not a plain number".to_owned()),
    }
}

/// A type.
pub(super) fn declaration(name: &str, item: &Item) -> Result<Told> {
    match item {
        Item::Struct(item) => {
            let words = Words::of(&item.attrs)?;
            words.check_fields()?;
            let Fields::Named(fields) = &item.fields else {
                return Err("its fields have no names".to_owned());
            };
            let mut needs = Vec::new();
            let (mut base, mut own) = (Vec::new(), Vec::new());
            for field in &fields.named {
                if Words::of(&field.attrs)?.flatten {
                    base.push(type_of(&field.ty, &mut needs)?);
                } else {
                    own.push(field.clone());
                }
            }
            let (lines, more) = field_lines(&own, "  ", false)?;
            needs.extend(more);
            let extends =
                if base.is_empty() { String::new() } else { format!(" extends {}", base.join(", ")) };
            let about = comment(&docs(&item.attrs), "");
            Ok((format!("\n{about}export interface {name}{extends} {{\n{lines}}}\n"), needs))
        }
        Item::Enum(item) => union(name, item),
        _ => Err("it is neither a struct nor an enum".to_owned()),
    }
}

/// An enum: words, or objects of which one field says which they are.
fn union(name: &str, item: &ItemEnum) -> Result<Told> {
    let words = Words::of(&item.attrs)?;
    let mut needs = Vec::new();
    let mut out = format!("\n{}export type {name} =", comment(&docs(&item.attrs), ""));
    for variant in &item.variants {
        let which = words.variant(variant)?;
        let _ = write!(out, "\n{}", comment(&docs(&variant.attrs), "  "));
        let fields: Vec<Field> = match &variant.fields {
            Fields::Unit => Vec::new(),
            Fields::Named(fields) => fields.named.iter().cloned().collect(),
            Fields::Unnamed(_) => return Err(format!("{which}: its fields have no names")),
        };
        let Some(tag) = &words.tag else {
            if !fields.is_empty() {
                return Err(format!("{which} has fields, and no tag says which variant it is"));
            }
            let _ = write!(out, "  | '{which}'");
            continue;
        };
        let mut parts = vec![format!("{tag}: '{which}'")];
        for field in &fields {
            parts.push(one_field(field, false, &mut needs)?.1);
        }
        let _ = write!(out, "  | {{ {} }}", parts.join("; "));
    }
    Ok((out + "\n", needs))
}

/// Fields, one on each line. What a request may leave out has a question mark there.
pub(super) fn field_lines(fields: &[Field], indent: &str, asks: bool) -> Result<Told> {
    let mut needs = Vec::new();
    let mut out = String::new();
    for field in fields {
        let (about, line) = one_field(field, asks, &mut needs)?;
        out += &comment(&about, indent);
        let _ = writeln!(out, "{indent}{line}");
    }
    Ok((out, needs))
}

/// Its comment, and `name: type`.
fn one_field(field: &Field, asks: bool, needs: &mut Vec<String>) -> Result<(String, String)> {
    let words = Words::of(&field.attrs)?;
    let ident = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
    let name = words.rename.clone().unwrap_or(ident);
    if words.flatten {
        return Err(format!("{name} is flattened where that is not known here"));
    }
    let optional = words.default && (asks || words.left_out);
    if words.left_out && !words.default {
        return Err(format!("{name} is left out and not expected to be"));
    }
    let mark = if optional { "?" } else { "" };
    let kind = type_of(&field.ty, needs).map_err(|reason| format!("{name}: {reason}"))?;
    Ok((docs(&field.attrs), format!("{name}{mark}: {kind}")))
}

/// A type where it is used.
pub(super) fn type_of(kind: &Type, needs: &mut Vec<String>) -> Result<String> {
    match kind {
        Type::Reference(reference) => type_of(&reference.elem, needs),
        Type::Tuple(tuple) => {
            let all = tuple.elems.iter().map(|kind| type_of(kind, needs)).collect::<Result<Vec<_>>>()?;
            Ok(format!("[{}]", all.join(", ")))
        }
        Type::Array(array) => {
            let Expr::Lit(length) = &array.len else { return Err("a list of unknown length".to_owned()) };
            let Lit::Int(length) = &length.lit else { return Err("a list of unknown length".to_owned()) };
            let length: usize = length.base10_parse().map_err(|error| error.to_string())?;
            let one = type_of(&array.elem, needs)?;
            // Colours and the like are of f32.
            let precise = matches!(&*array.elem, Type::Path(path) if path.path.is_ident("f64"));
            Ok(match length {
                3 if precise => "Vec3".to_owned(),
                4 if precise => "Quat".to_owned(),
                _ => format!("[{}]", vec![one; length].join(", ")),
            })
        }
        Type::Path(path) => {
            let last = path.path.segments.last().ok_or("a type without a name")?;
            let inside = match &last.arguments {
                PathArguments::None => Vec::new(),
                PathArguments::AngleBracketed(list) => list
                    .args
                    .iter()
                    .filter_map(|argument| match argument {
                        GenericArgument::Type(kind) => Some(type_of(kind, needs)),
                        _ => None,
                    })
                    .collect::<Result<Vec<_>>>()?,
                PathArguments::Parenthesized(_) => return Err("a function".to_owned()),
            };
            named(&last.ident.to_string(), &inside, needs)
        }
        _ => Err("a type that is not known here".to_owned()),
    }
}

fn named(name: &str, inside: &[String], needs: &mut Vec<String>) -> Result<String> {
    Ok(match (name, inside) {
        ("f64" | "f32" | "usize" | "u64" | "u32" | "i32", []) => "number".to_owned(),
        ("String" | "str", []) => "string".to_owned(),
        ("bool", []) => "boolean".to_owned(),
        ("Value", []) => "unknown".to_owned(),
        ("Vec3", []) => "Vec3".to_owned(),
        ("Option", [one]) => format!("{one} | null"),
        ("Box" | "Arc", [one]) => one.clone(),
        ("Vec", [one]) if one.contains(' ') && !one.starts_with('[') => format!("({one})[]"),
        ("Vec", [one]) => format!("{one}[]"),
        ("BTreeMap", [key, one]) => format!("Record<{key}, {one}>"),
        (name, []) => {
            needs.push(name.to_owned());
            name.to_owned()
        }
        (name, _) => return Err(format!("{name} with types inside is not known here")),
    })
}
