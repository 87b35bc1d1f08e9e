//! `#[activity]` on an impl block: stubs and types in a module of their own, the methods left as they are.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{
    Attribute, ImplItem, ImplItemFn, ItemImpl, Meta, Path, PathArguments, ReceiverKind, Type, Visibility,
    parse_quote,
};

use super::arguments::{Arguments, BlockArguments};
use super::emit::{Activity, Hidden};
use super::function::keys;
use crate::diagnostics::Diagnostics;
use crate::function::Function;
use crate::rebase;
use crate::signature::{self, Checked, Context, Role};

/// Expands `#[activity(attribute)]` on `block`.
pub(super) fn expand(attribute: TokenStream, mut block: ItemImpl) -> TokenStream {
    let mut notes = Diagnostics::default();
    let arguments = BlockArguments::parse(attribute, &mut notes);
    let krate: Path = arguments.krate.clone().unwrap_or_else(|| parse_quote!(::steadfast));
    let marked = take_marked(&mut block, &mut notes);
    let Some(type_name) = check_block(&block, &marked, &mut notes) else {
        let errors = notes.into_tokens();
        return quote!(#errors #block);
    };
    let module = arguments.module.unwrap_or_else(|| snake_case(&type_name));
    let this = (*block.self_ty).clone();
    let activities: Vec<TokenStream> =
        marked.iter().map(|(arguments, method)| one(arguments, method, &this, &krate, &mut notes)).collect();
    let registrations = marked.iter().map(|(_, method)| registration(method, &module));
    let visibility = module_visibility(&marked);
    let (errors, about) = (notes.into_tokens(), format!("The activities of [`{type_name}`]."));
    quote! {
        #errors
        #block

        #[doc = #about]
        #visibility mod #module {
            #[allow(unused_imports, reason = "the signatures may name anything of the outer module")]
            use super::*;
            #(#activities)*
        }

        impl #krate::ActivitySet for #this {
            fn register(self, set: &mut #krate::Activities) {
                let state = ::std::sync::Arc::new(self);
                #(#registrations)*
            }
        }
    }
}

/// Removes the marks from the methods and gives the marked ones.
fn take_marked(block: &mut ItemImpl, notes: &mut Diagnostics) -> Vec<(Arguments, ImplItemFn)> {
    let mut marked = Vec::new();
    for item in &mut block.items {
        let ImplItem::Fn(method) = item else { continue };
        let Some(position) = method.attrs.iter().position(is_mark) else { continue };
        let mark = method.attrs.remove(position);
        let arguments = match &mark.meta {
            Meta::List(list) => Arguments::parse(list.tokens.clone(), notes),
            Meta::Path(_) => Arguments::default(),
            Meta::NameValue(_) => {
                notes.report(&mark, "write `#[activity]` or `#[activity(key = value)]`");
                Arguments::default()
            }
        };
        if let Some(krate) = &arguments.krate {
            notes.report(krate, "`crate` belongs on the impl block, not on one of its activities");
        }
        marked.push((arguments, method.clone()));
    }
    marked
}

/// `#[activity]`, also by its full path.
fn is_mark(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|segment| segment.ident == "activity")
}

/// The name of the type, if the block is one that can hold activities.
fn check_block(
    block: &ItemImpl,
    marked: &[(Arguments, ImplItemFn)],
    notes: &mut Diagnostics,
) -> Option<Ident> {
    let before = notes.count();
    if let Some((path, _)) = &block.trait_ {
        notes.report(path, "activities stand in an impl block of the type itself, not of a trait");
    }
    if !block.generics.params.is_empty() {
        notes
            .report(&block.generics.params, "an activity is recorded by name, so its type cannot be generic");
    }
    let name = type_name(&block.self_ty);
    if name.is_none() {
        notes.report(&block.self_ty, "activities stand in an impl block of a plain type: `impl Payments`");
    }
    if marked.is_empty() {
        notes.report(&block.self_ty, "no method of this block is marked `#[activity]`");
    }
    name.filter(|_| notes.count() == before)
}

fn type_name(ty: &Type) -> Option<Ident> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    (path.qself.is_none() && last.arguments == PathArguments::None).then(|| last.ident.clone())
}

/// The stub, type and impl of one method, as they stand in the module.
fn one(
    arguments: &Arguments,
    method: &ImplItemFn,
    this: &Type,
    krate: &Path,
    notes: &mut Diagnostics,
) -> TokenStream {
    let takes_self = check_receiver(method, notes);
    let mut function = Function::of_method(method);
    let mut checked = signature::check(&function.signature, Role::Activity, krate, notes);
    checked.is_sound &= checked.is_plain && takes_self;
    for input in &mut checked.inputs {
        let moved = rebase::down(&input.ty, this);
        input.ty = Type::Verbatim(moved);
    }
    if let Some(outcome) = &mut checked.outcome {
        outcome.output = rebase::down(&outcome.output, this);
        outcome.error = rebase::down(&outcome.error, this);
    }
    function.visibility = rebase::down_visibility(&method.vis, this);
    let moved = Arguments {
        compensate: arguments.compensate.as_ref().and_then(|path| {
            let path = rebase::down(path, this);
            notes.take(syn::parse2(path))
        }),
        ..arguments.clone()
    };
    let moved_krate = notes.take(syn::parse2(rebase::down(krate, this))).unwrap_or_else(|| krate.clone());
    let (key, breaker_key) = keys(arguments, &checked, notes);
    let activity = Activity {
        function: &function,
        arguments: &moved,
        signature: &checked,
        key,
        breaker_key,
        krate: &moved_krate,
        visibility: &function.visibility,
        state: rebase::down(this, this),
    };
    let (names, implementation) = (activity.names(), activity.implementation(&call(method, &checked)));
    quote!(#names #implementation)
}

fn check_receiver(method: &ImplItemFn, notes: &mut Diagnostics) -> bool {
    let message = "an activity of an impl block takes `&self`: all attempts share the value";
    let Some(receiver) = method.sig.receiver() else {
        let hint =
            format!("{message}; a function without `self` is an activity of its own, outside the block");
        notes.report(&method.sig.ident, hint);
        return false;
    };
    let is_shared = matches!(&receiver.kind, ReceiverKind::Reference(_, _, None));
    if !is_shared {
        notes.report(receiver, message);
    }
    is_shared
}

fn call(method: &ImplItemFn, checked: &Checked) -> TokenStream {
    let (name, names, hidden) = (&method.sig.ident, checked.names(), Hidden::new());
    let Hidden { state, context, .. } = hidden;
    let context = match checked.context {
        Context::None => quote!(),
        Context::Owned => quote!(#context,),
        Context::Borrowed => quote!(&#context,),
    };
    quote_spanned!(name.span()=> async move { #state.#name(#context #(#names),*).await })
}

fn registration(method: &ImplItemFn, module: &Ident) -> TokenStream {
    let name = &method.sig.ident;
    let conditions = method.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    quote! {
        #(#conditions)*
        set.add::<#module::#name>(::std::sync::Arc::clone(&state));
    }
}

/// The module is as visible as its most visible activity may need.
fn module_visibility(marked: &[(Arguments, ImplItemFn)]) -> Visibility {
    let is_public = marked.iter().any(|(_, method)| matches!(method.vis, Visibility::Public(_)));
    if is_public { parse_quote!(pub) } else { parse_quote!(pub(crate)) }
}

fn snake_case(type_name: &Ident) -> Ident {
    let text = type_name.to_string();
    let mut snake = String::new();
    let letters: Vec<char> = text.chars().collect();
    for (index, letter) in letters.iter().enumerate() {
        let after_lower = index > 0 && !letters[index - 1].is_uppercase() && letters[index - 1] != '_';
        let before_lower = index > 0
            && letters[index - 1].is_uppercase()
            && letters.get(index + 1).is_some_and(|next| next.is_lowercase());
        if letter.is_uppercase() && (after_lower || before_lower) {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    Ident::new(&snake, type_name.span())
}

#[cfg(test)]
mod tests;
