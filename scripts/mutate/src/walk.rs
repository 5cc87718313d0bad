//! Which nodes of a file are mutated, and which are left alone.

use syn::visit::{self, Visit};
use syn::{Attribute, Expr};

use crate::swaps;
use crate::visit::Rewriter;

impl Visit<'_> for Rewriter<'_> {
    fn visit_item(&mut self, node: &syn::Item) {
        let attrs = match node {
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            syn::Item::Mod(item) => &item.attrs,
            _ => return visit::visit_item(self, node),
        };
        if !for_tests(attrs) {
            visit::visit_item(self, node);
        }
    }

    /// Text that is printed for a programmer is not mutated.
    fn visit_item_impl(&mut self, node: &syn::ItemImpl) {
        let printed = node
            .trait_
            .as_ref()
            .and_then(|(_, path, _)| path.segments.last());
        if !printed.is_some_and(|last| last.ident == "Debug" || last.ident == "Display") {
            visit::visit_item_impl(self, node);
        }
    }

    fn visit_item_fn(&mut self, node: &syn::ItemFn) {
        self.run_later(|this| this.function(&node.sig, &node.block));
    }

    fn visit_impl_item_fn(&mut self, node: &syn::ImplItemFn) {
        if !for_tests(&node.attrs) {
            self.function(&node.sig, &node.block);
        }
    }

    fn visit_trait_item_fn(&mut self, node: &syn::TraitItemFn) {
        if let Some(block) = &node.default {
            self.function(&node.sig, block);
        }
    }

    fn visit_item_const(&mut self, node: &syn::ItemConst) {
        self.evaluated(|this| this.visit_expr(&node.expr));
    }

    fn visit_item_static(&mut self, node: &syn::ItemStatic) {
        self.evaluated(|this| this.visit_expr(&node.expr));
    }

    fn visit_impl_item_const(&mut self, node: &syn::ImplItemConst) {
        self.evaluated(|this| this.visit_expr(&node.expr));
    }

    fn visit_trait_item_const(&mut self, _: &syn::TraitItemConst) {}
    fn visit_expr_const(&mut self, _: &syn::ExprConst) {}
    fn visit_item_enum(&mut self, _: &syn::ItemEnum) {}
    fn visit_pat(&mut self, _: &syn::Pat) {}
    fn visit_type(&mut self, _: &syn::Type) {}
    fn visit_attribute(&mut self, _: &Attribute) {}
    fn visit_generic_argument(&mut self, _: &syn::GenericArgument) {}

    fn visit_expr_closure(&mut self, node: &syn::ExprClosure) {
        self.run_later(|this| this.visit_expr(&node.body));
    }

    fn visit_expr_repeat(&mut self, node: &syn::ExprRepeat) {
        self.visit_expr(&node.expr);
    }

    fn visit_expr_binary(&mut self, node: &syn::ExprBinary) {
        self.binary(node);
    }

    fn visit_expr_unary(&mut self, node: &syn::ExprUnary) {
        self.unary(node);
    }

    fn visit_expr_lit(&mut self, node: &syn::ExprLit) {
        self.literal(node);
    }

    fn visit_expr_path(&mut self, node: &syn::ExprPath) {
        if node.qself.is_none() && swaps::constant(&node.path) {
            self.scaled(node, |_| ());
        }
    }

    fn visit_expr_macro(&mut self, node: &syn::ExprMacro) {
        if node.mac.path.is_ident("matches") {
            self.flag(node, |_| ());
        }
    }

    fn visit_expr_method_call(&mut self, node: &syn::ExprMethodCall) {
        let inside = |this: &mut Self| visit::visit_expr_method_call(this, node);
        let method = node.method.to_string();
        match node.receiver.as_ref() {
            Expr::Path(path) if path.path.is_ident("args") => match method.as_str() {
                "flag" | "has" => self.flag(node, inside),
                _ if swaps::reads_number(&method) => self.scaled(node, inside),
                _ => inside(self),
            },
            _ => inside(self),
        }
    }

    fn visit_expr_if(&mut self, node: &syn::ExprIf) {
        self.branch(&node.cond);
        self.visit_block(&node.then_branch);
        if let Some((_, other)) = &node.else_branch {
            self.visit_expr(other);
        }
    }

    fn visit_expr_while(&mut self, node: &syn::ExprWhile) {
        self.branch(&node.cond);
        self.visit_block(&node.body);
    }

    fn visit_arm(&mut self, node: &syn::Arm) {
        self.arm(node);
    }

    fn visit_stmt(&mut self, node: &syn::Stmt) {
        match node {
            syn::Stmt::Expr(expr, Some(_)) => self.statement(node, expr),
            _ => visit::visit_stmt(self, node),
        }
    }
}

/// `#[cfg(test)]` or `#[test]`.
pub fn for_tests(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|one| {
        let inner = one.parse_args::<syn::Path>();
        one.path().is_ident("test")
            || (one.path().is_ident("cfg") && inner.is_ok_and(|path| path.is_ident("test")))
    })
}
