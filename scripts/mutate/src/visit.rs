//! Finds the places of one file that can be mutated, and writes every mutation into it.
//!
//! Operands are written once: `a < b` becomes a `match` on both, in whose arm the number of the mutant that was
//! asked for chooses the operator. Only what the compiler evaluates at run time is changed: no constants, patterns,
//! types or attributes, and no text inside macros.

use std::collections::BTreeSet;
use std::ops::Range;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr};

use crate::edits::{Edits, Piece, text};
use crate::site::{Site, has_let, told};
use crate::swaps;

/// One mutation.
#[derive(Debug)]
pub struct Mutant {
    pub id: u32,
    pub site: u32,
    pub line: usize,
    pub column: usize,
    pub what: String,
    pub function: String,
}

/// One file on its way.
pub struct Rewriter<'a> {
    source: &'a str,
    dropped: &'a BTreeSet<u32>,
    next: u32,
    /// Names of the functions around.
    names: Vec<String>,
    /// Inside what the compiler evaluates.
    constant: bool,
    pub edits: Edits,
    pub mutants: Vec<Mutant>,
}

impl<'a> Rewriter<'a> {
    /// Mutants are numbered from `first`, dropped ones too.
    pub fn new(source: &'a str, dropped: &'a BTreeSet<u32>, first: u32) -> Rewriter<'a> {
        Rewriter {
            source,
            dropped,
            next: first,
            names: Vec::new(),
            constant: false,
            edits: Edits::default(),
            mutants: Vec::new(),
        }
    }

    /// The number after the last mutant's.
    pub fn end(&self) -> u32 {
        self.next
    }

    fn words(&self, place: Range<usize>) -> &'a str {
        &self.source[place]
    }

    /// Numbers the alternatives (what is said, what is written) of a place. None where nothing is left to do.
    fn site(&mut self, span: Span, alternatives: Vec<(String, String)>) -> Option<Site> {
        if self.constant || alternatives.is_empty() {
            return None;
        }
        let mut site = Site {
            id: self.next,
            alternatives: Vec::new(),
        };
        for (what, other) in alternatives {
            let id = self.next;
            self.next += 1;
            if self.dropped.contains(&id) {
                continue;
            }
            self.mutants.push(Mutant {
                id,
                site: site.id,
                line: span.start().line,
                column: span.start().column + 1,
                what,
                function: self.names.join("::"),
            });
            site.alternatives.push((id, other));
        }
        (!site.alternatives.is_empty()).then_some(site)
    }

    fn single(&mut self, span: Span, what: impl Into<String>) -> Option<Site> {
        self.site(span, vec![(what.into(), String::new())])
    }

    /// Writes something before and after a place, and visits the inside between.
    fn around(
        &mut self,
        span: Span,
        before: Vec<Piece>,
        after: Vec<Piece>,
        inside: impl FnOnce(&mut Self),
    ) {
        let place = span.byte_range();
        self.edits.insert(place.start, before);
        inside(self);
        self.edits.insert(place.end, after);
    }

    /// `a < b` or `a + b`.
    fn operator(&mut self, node: &syn::ExprBinary) {
        let op = self.words(node.op.span().byte_range());
        let compares = swaps::compares(&node.op);
        let (l, r) = if compares { ("*l", "*r") } else { ("l", "r") };
        let alternatives = swaps::operators(&node.op)
            .iter()
            .map(|other| {
                (
                    format!("replace {op} with {other}"),
                    format!("{l} {other} {r}"),
                )
            })
            .collect();
        let Some(site) = self.site(node.op.span(), alternatives) else {
            return visit::visit_expr_binary(self, node);
        };
        let (before, between, after) = match compares {
            true => ("(match (&(", "), &(", ")) { (l, r) => "),
            false => ("(match (", ",", ") { (l, r) => "),
        };
        let mut end = vec![text(after)];
        end.extend(site.chain(&format!("{l} {op} {r}")));
        let end = site.closes(end, " })");
        self.around(node.span(), site.opens(before), end, |this| {
            this.visit_expr(&node.left);
            this.edits
                .replace(node.op.span().byte_range(), vec![text(between)]);
            this.visit_expr(&node.right);
        });
    }

    /// `a && b` or `a || b`: one test of the left side serves both.
    fn logic(&mut self, node: &syn::ExprBinary) {
        let and = matches!(node.op, BinOp::And(_));
        let what = if and {
            "replace && with ||"
        } else {
            "replace || with &&"
        };
        let inside = |this: &mut Self| {
            this.condition(&node.left);
            this.condition(&node.right);
        };
        if has_let(&node.left) || has_let(&node.right) {
            return inside(self);
        }
        let Some(site) = self.single(node.op.span(), what) else {
            return inside(self);
        };
        let test = if and { "!=" } else { "==" };
        let between = format!(") {{ l => if l {test} {} {{ ", site.asked());
        let end = site.closes(vec![], " } else { l } })");
        self.around(node.span(), site.opens("(match ("), end, |this| {
            this.condition(&node.left);
            let op = node.op.span().byte_range();
            this.edits.replace(op, vec![text(between)]);
            this.condition(&node.right);
        });
    }

    /// `a += b`. The left side stays as it is.
    fn assignment(&mut self, node: &syn::ExprBinary) {
        let op = self.words(node.op.span().byte_range());
        let left = self.words(node.left.span().byte_range());
        let mut alternatives: Vec<_> = swaps::assignments(&node.op)
            .iter()
            .map(|other| {
                (
                    format!("replace {op} with {other}"),
                    format!("{left} {other} __r"),
                )
            })
            .collect();
        alternatives.push((format!("delete {op}"), String::new()));
        let Some(site) = self.site(node.op.span(), alternatives) else {
            // The same places as with a mutant, so that dropping one leaves the numbers of the others.
            return self.visit_expr(&node.right);
        };
        let place = node.left.span().byte_range().start..node.right.span().byte_range().start;
        self.edits.replace(place, site.opens("match ("));
        self.visit_expr(&node.right);
        let mut end = vec![text(") { __r => ")];
        end.extend(site.chain(&format!("{left} {op} __r")));
        let end = site.closes(end, " }");
        self.edits.insert(node.right.span().byte_range().end, end);
    }

    /// A condition; one without an operator is negated.
    fn condition(&mut self, node: &Expr) {
        let leaf = matches!(
            node,
            Expr::MethodCall(_) | Expr::Call(_) | Expr::Path(_) | Expr::Field(_)
        );
        if leaf {
            self.negated(node, "negate the condition", |this| this.visit_expr(node));
        } else {
            self.visit_expr(node);
        }
    }

    fn negated(&mut self, node: &impl Spanned, what: &str, inside: impl FnOnce(&mut Self)) {
        let Some(site) = self.single(node.span(), what) else {
            return inside(self);
        };
        let end = format!(" != {})", site.asked());
        let end = site.closes(vec![], &end);
        self.around(node.span(), site.opens("("), end, inside);
    }

    /// A statement, or what takes its place in an arm, that may be left out.
    fn left_out(
        &mut self,
        place: Span,
        what: String,
        braces: [&str; 2],
        inside: impl FnOnce(&mut Self),
    ) {
        let Some(site) = self.single(place, what) else {
            return inside(self);
        };
        let start = format!("{}if !{} {{ ", braces[0], site.asked());
        let end = site.closes(vec![], &format!(" }}{}", braces[1]));
        self.around(place, site.opens(start), end, inside);
    }

    /// A function's beginning: it returns at once.
    pub fn function(&mut self, sig: &syn::Signature, block: &syn::Block) {
        let name = sig.ident.to_string();
        if ["prefetch", "capacity"]
            .iter()
            .any(|word| name.contains(word))
        {
            return;
        }
        self.names.push(name);
        let before = std::mem::replace(&mut self.constant, sig.constness.is_some());
        if !block.stmts.is_empty() {
            let alternatives = swaps::returns(&sig.output)
                .into_iter()
                .map(|value| match value {
                    "" => ("return at once".into(), "return;".into()),
                    _ => (format!("return {value}"), format!("return {value};")),
                })
                .collect();
            if let Some(site) = self.site(sig.ident.span(), alternatives) {
                let mut pieces = site.opens(" ");
                pieces.extend(site.chain(""));
                let start = block.brace_token.span.open().byte_range().end;
                self.edits.insert(start, site.closes(pieces, ""));
            }
        }
        self.visit_block(block);
        self.constant = before;
        self.names.pop();
    }

    /// Code that the compiler evaluates; closures in it run later.
    pub fn evaluated(&mut self, inside: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.constant, true);
        inside(self);
        self.constant = before;
    }

    /// Code that runs later, inside a constant or not.
    pub fn run_later(&mut self, inside: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.constant, false);
        inside(self);
        self.constant = before;
    }

    /// `a && b`, `a < b`, `a + b` or `a += b`.
    pub fn binary(&mut self, node: &syn::ExprBinary) {
        match node.op {
            BinOp::And(_) | BinOp::Or(_) => self.logic(node),
            _ if !swaps::assignments(&node.op).is_empty() => self.assignment(node),
            _ => self.operator(node),
        }
    }

    /// `!a` or `-a`.
    pub fn unary(&mut self, node: &syn::ExprUnary) {
        let literal = matches!(*node.expr, Expr::Lit(_));
        let op = self.words(node.op.span().byte_range());
        if matches!(node.op, syn::UnOp::Deref(_)) || literal {
            return visit::visit_expr_unary(self, node);
        }
        let alternatives = vec![(format!("delete {op}"), "l".to_string())];
        let Some(site) = self.site(node.span(), alternatives) else {
            return visit::visit_expr_unary(self, node);
        };
        self.edits
            .replace(node.op.span().byte_range(), site.opens("(match ("));
        self.visit_expr(&node.expr);
        let mut end = vec![text(") { l => ")];
        end.extend(site.chain(&format!("{op}l")));
        let end = site.closes(end, " })");
        self.edits.insert(node.span().byte_range().end, end);
    }

    pub fn literal(&mut self, node: &syn::ExprLit) {
        let Some(other) = swaps::literal(&node.lit) else {
            return;
        };
        let own = self.words(node.span().byte_range());
        let alternatives = vec![(format!("replace {own} with {other}"), other)];
        if let Some(site) = self.site(node.span(), alternatives) {
            let mut pieces = site.opens("(");
            pieces.extend(site.chain(own));
            self.edits
                .replace(node.span().byte_range(), site.closes(pieces, ")"));
        }
    }

    /// A number that has a name: five times as much, or half.
    pub fn scaled(&mut self, node: &impl Spanned, inside: impl FnOnce(&mut Self)) {
        let place = node.span().byte_range();
        let own = self.words(place.clone());
        let mut ends = Vec::new();
        for (how, call) in [("times 5", "more"), ("halved", "less")] {
            if let Some(site) = self.single(node.span(), format!("{own} {how}")) {
                let start = format!("::mutant::{call}({}, ", site.id);
                self.edits.insert(place.start, site.opens(start));
                ends.push(site.closes(vec![], ")"));
            }
        }
        inside(self);
        for end in ends.into_iter().rev() {
            self.edits.insert(place.end, end);
        }
    }

    /// A flag of the options, or what `matches!` says.
    pub fn flag(&mut self, node: &impl Spanned, inside: impl FnOnce(&mut Self)) {
        self.negated(node, "negate", inside);
    }

    pub fn statement(&mut self, node: &syn::Stmt, expr: &Expr) {
        let place = node.span();
        let inside = |this: &mut Self| visit::visit_stmt(this, node);
        match told(self.source, expr) {
            Some(what) => self.left_out(place, what, ["", ""], inside),
            None => inside(self),
        }
    }

    pub fn arm(&mut self, node: &syn::Arm) {
        if let Some((_, guard)) = &node.guard {
            self.condition(guard);
        }
        let inside = |this: &mut Self| this.visit_expr(&node.body);
        match told(self.source, &node.body) {
            Some(what) => self.left_out(node.body.span(), what, ["{ ", " }"], inside),
            None => inside(self),
        }
    }

    pub fn branch(&mut self, cond: &Expr) {
        self.condition(cond);
    }
}
