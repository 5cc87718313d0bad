//! What is written around one place that is mutated.

use syn::Expr;
use syn::spanned::Spanned;

use crate::edits::{Piece, text};

/// The mutants of one place that are left, each with its text.
pub struct Site {
    pub id: u32,
    /// The number of each and what is written.
    pub alternatives: Vec<(u32, String)>,
}

impl Site {
    /// `if` one is asked for its text, `else` the last.
    pub fn chain(&self, last: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for (id, other) in &self.alternatives {
            pieces.push(text(format!("if ::mutant::is({id}) {{ ")));
            pieces.push(Piece::MutantOpens(*id));
            pieces.push(text(other));
            pieces.push(Piece::MutantCloses(*id));
            pieces.push(text(" } else "));
        }
        pieces.push(text(format!("{{ {last} }}")));
        pieces
    }

    /// Whether the only mutant is asked for, as an expression.
    pub fn asked(&self) -> String {
        format!("::mutant::is({})", self.id)
    }

    pub fn opens(&self, words: impl Into<String>) -> Vec<Piece> {
        vec![Piece::SiteOpens(self.id), text(words)]
    }

    pub fn closes(&self, mut pieces: Vec<Piece>, words: &str) -> Vec<Piece> {
        pieces.push(text(words));
        pieces.push(Piece::SiteCloses(self.id));
        pieces
    }
}

/// The name of a call or an assignment as a statement that can be left out.
pub fn told(source: &str, expr: &Expr) -> Option<String> {
    let shown = |expr: &Expr| {
        source[expr.span().byte_range()]
            .split_whitespace()
            .collect::<String>()
    };
    match expr {
        Expr::MethodCall(call) if call.attrs.is_empty() => {
            Some(format!("delete call of {}", call.method))
        }
        Expr::Call(call) if call.attrs.is_empty() => {
            Some(format!("delete call of {}", shown(&call.func)))
        }
        Expr::Assign(set) if !matches!(*set.left, Expr::Path(_) | Expr::Infer(_)) => {
            Some(format!("delete {} = …", shown(&set.left)))
        }
        _ => None,
    }
}

/// Whether a condition binds something.
pub fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(node) => has_let(&node.left) || has_let(&node.right),
        _ => false,
    }
}
