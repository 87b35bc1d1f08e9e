//! `idempotency_key = "order-{order.id}"`: a text with inputs in it, each name checked against the signature.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Error, Index, LitStr, Member};

use crate::signature::Checked;
use crate::suggest;

/// A key, taken apart.
#[derive(Debug)]
pub(super) struct Template {
    literal: LitStr,
    format: String,
    holes: Vec<Hole>,
}

/// One `{input.field}`.
#[derive(Debug)]
struct Hole {
    input: Ident,
    fields: Vec<Member>,
}

impl Template {
    /// Reads `literal` and checks its names against `signature`.
    pub(super) fn parse(literal: &LitStr, signature: &Checked) -> syn::Result<Self> {
        let text = literal.value();
        let mut template = Self { literal: literal.clone(), format: String::new(), holes: Vec::new() };
        let mut rest = text.as_str();
        while let Some(at) = rest.find(['{', '}']) {
            template.format.push_str(&rest[..at]);
            let escaped = ["{{", "}}"].into_iter().find(|pair| rest[at..].starts_with(pair));
            if let Some(pair) = escaped {
                template.format.push_str(pair);
                rest = &rest[at + pair.len()..];
                continue;
            }
            let Some(inside) = rest[at..].strip_prefix('{') else {
                return Err(template.wrong("`}` without `{`; a brace in the key itself is `}}`"));
            };
            let Some((path, after)) = inside.split_once('}') else {
                return Err(template.wrong("`{` without `}`; a brace in the key itself is `{{`"));
            };
            let hole = template.hole(path.trim(), signature)?;
            template.format.push_str("{}");
            template.holes.push(hole);
            rest = after;
        }
        template.format.push_str(rest);
        if template.holes.is_empty() {
            let message = "this key is the same for every call; put an input into it: \"order-{order.id}\"";
            return Err(template.wrong(message));
        }
        Ok(template)
    }

    fn hole(&self, path: &str, signature: &Checked) -> syn::Result<Hole> {
        let mut parts = path.split('.');
        let root = parts.next().unwrap_or_default();
        let known = |input: &&Ident| **input == root || **input == format!("r#{root}");
        let Some(input) = signature.names().into_iter().find(known) else {
            return Err(self.wrong(unknown_input(root, signature)));
        };
        let mut input = input.clone();
        input.set_span(self.literal.span());
        let fields = parts.map(|field| self.field(field)).collect::<syn::Result<_>>()?;
        Ok(Hole { input, fields })
    }

    fn field(&self, text: &str) -> syn::Result<Member> {
        let span = self.literal.span();
        if let Ok(index) = text.parse() {
            return Ok(Member::Unnamed(Index { index, span }));
        }
        let mut ident: Ident = syn::parse_str(text)
            .map_err(|_| self.wrong(format!("`{text}` is not a field; write \"order-{{order.id}}\"")))?;
        ident.set_span(span);
        Ok(Member::Named(ident))
    }

    fn wrong(&self, message: impl std::fmt::Display) -> Error {
        Error::new(self.literal.span(), message)
    }

    /// The body of `Activity::key`, where `input` holds a reference to the inputs.
    pub(super) fn tokens(&self, input: &Ident, signature: &Checked) -> TokenStream {
        let span = self.literal.span();
        let format = LitStr::new(&self.format, span);
        let values =
            self.holes.iter().map(|Hole { input, fields }| quote_spanned!(span=> #input #(.#fields)*));
        let names: Vec<_> = signature.names().into_iter().map(|name| self.bound(name)).collect();
        let pattern = if let [name] = &*names { quote!(#name) } else { quote!((#(#names),*)) };
        let key = quote_spanned!(span=> ::std::format!(#format #(, #values)*));
        quote! {
            let #pattern = #input;
            ::core::option::Option::Some(#key)
        }
    }

    /// The input if the key uses it, else a wildcard.
    fn bound(&self, name: &Ident) -> TokenStream {
        match self.holes.iter().find(|hole| hole.input == *name) {
            Some(hole) => {
                let input = &hole.input;
                quote!(#input)
            }
            None => quote!(_),
        }
    }
}

fn unknown_input(root: &str, signature: &Checked) -> String {
    let names: Vec<String> = signature.names().into_iter().map(ToString::to_string).collect();
    if names.is_empty() {
        return format!("`{root}` is not an input of this activity; it has none");
    }
    if root.is_empty() {
        return format!("name an input between the braces: {}", suggest::list(&names));
    }
    format!("`{root}` is not an input of this activity; its inputs are {}", suggest::list(&names))
}
