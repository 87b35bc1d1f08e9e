//! `#[activity]`, on a function or on an impl block.

mod arguments;
mod block;
mod breaker;
mod emit;
mod function;
mod key;
mod retry;

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Error, ItemImpl, Token, Visibility};

use crate::function::Function;

/// What the attribute stands on.
enum Target {
    Function(Box<Function>),
    Block(Box<ItemImpl>),
}

impl Parse for Target {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let ahead = input.fork();
        ahead.call(Attribute::parse_outer)?;
        if ahead.peek(Token![impl]) || ahead.peek(Token![unsafe]) && ahead.peek2(Token![impl]) {
            return input.parse().map(Box::new).map(Self::Block);
        }
        ahead.parse::<Visibility>()?;
        let is_other_item = ahead.peek(Token![struct])
            || ahead.peek(Token![enum])
            || ahead.peek(Token![trait])
            || ahead.peek(Token![mod]);
        if is_other_item {
            return Err(Error::new(
                ahead.span(),
                "`#[activity]` goes on an `async fn`, or on an impl block whose methods are marked with it",
            ));
        }
        input.parse().map(Box::new).map(Self::Function)
    }
}

/// Expands the attribute with the tokens `attribute` on `item`.
pub(crate) fn expand(attribute: TokenStream, item: &TokenStream) -> TokenStream {
    match syn::parse2(item.clone()) {
        Ok(Target::Function(function)) => function::expand(attribute, &function),
        Ok(Target::Block(block)) => block::expand(attribute, *block),
        Err(error) => {
            let error = error.into_compile_error();
            quote!(#error #item)
        }
    }
}

#[cfg(test)]
mod tests;
