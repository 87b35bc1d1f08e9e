//! A function whose body is kept as it was written: the macros never look into it as syntax, and emit it once.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Error, Ident, ImplItemFn, Safety, Signature, Token, Visibility};

/// A function or method.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    pub(crate) body: Group,
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let signature: Signature = input.parse()?;
        let body = match input.parse::<TokenTree>() {
            Ok(TokenTree::Group(body)) => body,
            _ => return Err(Error::new_spanned(&signature, "the function has no body")),
        };
        Ok(Self { attributes, visibility, signature, body })
    }
}

impl Function {
    /// The method of an impl block, without its body.
    pub(crate) fn of_method(method: &ImplItemFn) -> Self {
        Self {
            attributes: method.attrs.clone(),
            visibility: method.vis.clone(),
            signature: method.sig.clone(),
            body: Group::new(proc_macro2::Delimiter::Brace, TokenStream::new()),
        }
    }

    /// The function's name.
    pub(crate) fn name(&self) -> &Ident {
        &self.signature.ident
    }

    /// The attributes that belong on what users see: docs and deprecation.
    pub(crate) fn visible_attributes(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes_named(&["doc", "deprecated"])
    }

    /// The conditions under which the function exists at all.
    pub(crate) fn conditions(&self) -> Vec<&Attribute> {
        self.attributes_named(&["cfg"]).collect()
    }

    /// The function as a plain `async fn run`, with the attributes that concern its body.
    pub(crate) fn renamed_to_run(&self) -> TokenStream {
        let attributes = self.attributes.iter().filter(|attribute| {
            !["cfg", "doc", "deprecated", "must_use"].iter().any(|name| attribute.path().is_ident(name))
        });
        let mut signature = self.signature.clone();
        signature.ident = Ident::new("run", self.signature.ident.span());
        signature.asyncness =
            signature.asyncness.or_else(|| Some(Token![async](self.signature.fn_token.span)));
        signature.constness = None;
        signature.safety = Safety::Default;
        signature.abi = None;
        signature.variadic = None;
        let (visibility, body) = (&self.visibility, &self.body);
        quote!(#(#attributes)* #visibility #signature #body)
    }

    fn attributes_named(&self, names: &'static [&'static str]) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|attribute| names.iter().any(|name| attribute.path().is_ident(name)))
    }
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { attributes, visibility, signature, body } = self;
        tokens.extend(quote!(#(#attributes)* #visibility #signature #body));
    }
}
