//! The arms of a `select!`: `pattern = future, if guard => handler`.

use syn::parse::{Parse, ParseStream};
use syn::{Expr, Pat, Token, token};

/// One arm.
pub(super) struct Arm {
    pub(super) pattern: Pat,
    pub(super) future: Expr,
    pub(super) guard: Option<Expr>,
    pub(super) handler: Expr,
}

/// All arms, at least one.
pub(super) struct Arms(pub(super) Vec<Arm>);

impl Parse for Arms {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut arms = Vec::new();
        while !input.is_empty() {
            let arm: Arm = input.parse()?;
            let ends_itself = matches!(arm.handler, Expr::Block(_));
            arms.push(arm);
            if input.peek(Token![,]) {
                input.parse::<Token![,]>()?;
            } else if !ends_itself && !input.is_empty() {
                return Err(input.error("expected `,` after the handler"));
            }
        }
        if arms.is_empty() {
            return Err(input.error("`select!` has at least one arm: `pattern = future => handler`"));
        }
        Ok(Self(arms))
    }
}

impl Parse for Arm {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let pattern = Pat::parse_multi_with_leading_vert(input)?;
        if !input.peek(Token![=]) || input.peek(Token![=>]) {
            return Err(input.error("an arm is `pattern = future => handler`"));
        }
        input.parse::<Token![=]>()?;
        let future = input.parse()?;
        let guard = if input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
            input.parse::<Token![if]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        input.parse::<Token![=>]>()?;
        let handler = if input.peek(token::Brace) { Expr::Block(input.parse()?) } else { input.parse()? };
        Ok(Self { pattern, future, guard, handler })
    }
}
