//! The result of an activity or a workflow, taken apart.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote_spanned};
use syn::spanned::Spanned as _;
use syn::visit::Visit as _;
use syn::{GenericArgument, Path, PathArguments, ReturnType, Signature, Type};

use super::{Role, Unrecordable, at};
use crate::diagnostics::Diagnostics;

/// The two types of a result.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) output: TokenStream,
    pub(crate) output_span: Span,
    pub(crate) error: TokenStream,
    pub(crate) error_span: Span,
}

/// Takes the result type apart, and notes what is wrong with it.
pub(super) fn check(
    signature: &Signature,
    role: Role,
    krate: &Path,
    notes: &mut Diagnostics,
) -> Option<Outcome> {
    let ReturnType::Type(_, ty) = &signature.output else {
        notes.report(&signature.ident, format!("{} returns {}", role.noun(), role.result()));
        return None;
    };
    if is_surely_no_result(ty) {
        notes.report(ty, format!("{} returns {}", role.noun(), role.result()));
        return None;
    }
    let mut finder = Unrecordable { notes, noun: role.noun() };
    finder.visit_type(ty);
    if let Some((output, error)) = spelled_out(ty) {
        return Some(Outcome {
            output: output.to_token_stream(),
            output_span: output.span(),
            error: error.to_token_stream(),
            error_span: error.span(),
        });
    }
    let span = ty.span();
    let krate = at(krate, span);
    Some(Outcome {
        output: quote_spanned!(span=> <#ty as #krate::__private::IsResult>::Output),
        output_span: span,
        error: quote_spanned!(span=> <#ty as #krate::__private::IsResult>::Error),
        error_span: span,
    })
}

/// Whether the type is one of the usual ones, so that it is no alias of `Result`.
fn is_surely_no_result(ty: &Type) -> bool {
    const USUAL: &[&str] = &[
        "bool", "char", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128",
        "usize", "f32", "f64", "String", "Vec", "Option", "Box",
    ];
    if matches!(ty, Type::Tuple(_) | Type::Array(_)) {
        return true;
    }
    let Type::Path(path) = ty else { return false };
    path.path.segments.last().is_some_and(|last| USUAL.iter().any(|usual| last.ident == usual))
}

/// The two types of a `Result<A, B>` that is written as such.
fn spelled_out(ty: &Type) -> Option<(&GenericArgument, &GenericArgument)> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let mut arguments = arguments.args.iter();
    let pair = (arguments.next()?, arguments.next()?);
    (last.ident == "Result" && arguments.next().is_none()).then_some(pair)
}
