//! What an operator, a type or a literal is mutated to.

use syn::{BinOp, ReturnType, Type};

/// The operators that stand in for one, as they are written; none for an operator that is left alone.
pub fn operators(op: &BinOp) -> &'static [&'static str] {
    match op {
        BinOp::Lt(_) => &["<=", ">="],
        BinOp::Le(_) => &["<", ">"],
        BinOp::Gt(_) => &[">=", "<="],
        BinOp::Ge(_) => &[">", "<"],
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::Add(_) => &["-"],
        BinOp::Sub(_) => &["+"],
        BinOp::Mul(_) => &["/"],
        BinOp::Div(_) => &["*"],
        BinOp::Rem(_) => &["/"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        BinOp::BitAnd(_) | BinOp::BitXor(_) => &["|"],
        BinOp::BitOr(_) => &["&"],
        _ => &[],
    }
}

/// The same for an operator that assigns.
pub fn assignments(op: &BinOp) -> &'static [&'static str] {
    match op {
        BinOp::AddAssign(_) => &["-="],
        BinOp::SubAssign(_) => &["+="],
        BinOp::MulAssign(_) => &["/="],
        BinOp::DivAssign(_) => &["*="],
        BinOp::RemAssign(_) => &["/="],
        BinOp::ShlAssign(_) => &[">>="],
        BinOp::ShrAssign(_) => &["<<="],
        BinOp::BitAndAssign(_) | BinOp::BitXorAssign(_) => &["|="],
        BinOp::BitOrAssign(_) => &["&="],
        _ => &[],
    }
}

/// Whether an operator compares.
pub fn compares(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) | BinOp::Eq(_) | BinOp::Ne(_)
    )
}

/// The values that a function of this type may return at once. Not every type has a default: a value that does not compile
/// is dropped later.
pub fn returns(output: &ReturnType) -> Vec<&'static str> {
    let ReturnType::Type(_, kind) = output else {
        return vec![""];
    };
    match kind.as_ref() {
        Type::Path(path) => path.path.segments.last().map_or(vec![], |last| {
            named(&last.ident.to_string(), &last.arguments)
        }),
        Type::Tuple(tuple) if tuple.elems.is_empty() => vec![""],
        Type::Tuple(_) | Type::Array(_) => vec!["::core::default::Default::default()"],
        _ => vec![],
    }
}

fn named(name: &str, arguments: &syn::PathArguments) -> Vec<&'static str> {
    match name {
        "bool" => vec!["true", "false"],
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i32" | "i64" | "i128" => vec!["0", "1"],
        "f64" | "f32" => vec!["0.0", "1.0"],
        "Option" => vec!["None"],
        "Result" => match arguments {
            syn::PathArguments::AngleBracketed(given) => match given.args.first() {
                Some(syn::GenericArgument::Type(Type::Tuple(inner))) if inner.elems.is_empty() => {
                    vec!["Ok(())"]
                }
                _ => vec![],
            },
            _ => vec![],
        },
        "Self" | "Box" => vec![],
        _ => vec!["::core::default::Default::default()"],
    }
}

/// One more, or twice as much; a float of nought becomes one.
pub fn literal(lit: &syn::Lit) -> Option<String> {
    match lit {
        syn::Lit::Int(int) => {
            let value: u128 = int.base10_parse().ok()?;
            Some(format!("{}{}", value + 1, int.suffix()))
        }
        syn::Lit::Float(float) => {
            let value: f64 = float.base10_parse().ok()?;
            let other = if value == 0.0 { 1.0 } else { value * 2.0 };
            Some(format!("{other:?}{}", float.suffix()))
        }
        _ => None,
    }
}

/// A constant of a number whose other value is likely to tell; the ends of a type's range, and
/// the values that stand for none, do not.
pub fn constant(path: &syn::Path) -> bool {
    let Some(last) = path.segments.last() else {
        return false;
    };
    let name = last.ident.to_string();
    let ends = [
        "MAX",
        "MIN",
        "ZERO",
        "INFINITY",
        "NEG_INFINITY",
        "NAN",
        "EPSILON",
        "BITS",
        "NEVER",
        "NOBODY",
    ];
    let capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.len() > 1 && name.chars().all(capital) && !ends.contains(&name.as_str())
}

/// Readers of an option's value that is a number.
pub fn reads_number(method: &str) -> bool {
    matches!(
        method,
        "bytes" | "count" | "number" | "packets" | "rate" | "share" | "span"
    )
}
