//! What the signature of an activity or a workflow says: whether it takes a context, its inputs, its result.

mod outcome;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{FnArg, Pat, PatType, Path, Safety, Signature, Type, TypeImplTrait, TypeReference};

pub(crate) use self::outcome::Outcome;
use crate::diagnostics::Diagnostics;

/// The most inputs that one function may have: a stub as a value is recognised up to here.
pub(crate) const INPUTS_MAX: usize = 8;

/// Which kind of function a signature belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Activity,
    Workflow,
}

impl Role {
    /// In a sentence.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Activity => "an activity",
            Self::Workflow => "a workflow",
        }
    }

    fn context(self) -> &'static str {
        match self {
            Self::Activity => "ActivityContext",
            Self::Workflow => "WorkflowContext",
        }
    }

    fn result(self) -> &'static str {
        match self {
            Self::Activity => "`Result<Output, Error>`",
            Self::Workflow => "`Result<Output, WorkflowError>`",
        }
    }
}

/// How the function takes its context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Context {
    None,
    Owned,
    Borrowed,
}

/// One input.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) name: Ident,
    pub(crate) ty: Type,
}

/// A signature, checked.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) context: Context,
    pub(crate) inputs: Vec<Input>,
    pub(crate) outcome: Option<Outcome>,
    /// Whether it is an `async fn` and nothing more.
    pub(crate) is_plain: bool,
    /// Whether its types can stand in the generated items.
    pub(crate) is_sound: bool,
}

/// Checks `signature` and notes every mistake in it.
pub(crate) fn check(signature: &Signature, role: Role, krate: &Path, notes: &mut Diagnostics) -> Checked {
    let at_first = notes.count();
    check_shape(signature, role, notes);
    let is_plain = notes.count() == at_first;
    let before_types = notes.count();
    check_generics(signature, role, notes);
    let (context, inputs) = check_inputs(signature, role, notes);
    let outcome = outcome::check(signature, role, krate, notes);
    Checked { context, inputs, outcome, is_plain, is_sound: notes.count() == before_types }
}

impl Checked {
    /// The names of the inputs.
    pub(crate) fn names(&self) -> Vec<&Ident> {
        self.inputs.iter().map(|input| &input.name).collect()
    }

    /// `name: Type` of each input.
    pub(crate) fn parameters(&self) -> TokenStream {
        let (names, types) = (self.names(), self.inputs.iter().map(|input| &input.ty));
        quote!(#(, #names: #types)*)
    }

    /// The inputs as one value or pattern: itself if there is one, else a tuple.
    pub(crate) fn bundle(&self) -> TokenStream {
        let names = self.names();
        if let [name] = &*names { quote!(#name) } else { quote!((#(#names),*)) }
    }

    /// The type of [`Self::bundle`], and where it stands.
    pub(crate) fn bundle_type(&self, function: &Ident) -> (TokenStream, Span) {
        let types: Vec<_> = self.inputs.iter().map(|input| &input.ty).collect();
        if let [ty] = &*types {
            return (quote!(#ty), ty.span());
        }
        let span = function.span();
        (quote_spanned!(span=> (#(#types),*)), span)
    }

    /// Checks of each of several inputs, so that one that cannot be recorded is reported where it stands.
    pub(crate) fn input_checks(&self, krate: &Path) -> TokenStream {
        if self.inputs.len() < 2 {
            return TokenStream::new();
        }
        let checks = self.inputs.iter().map(|input| {
            let (ty, span) = (&input.ty, input.ty.span());
            let krate = at(krate, span);
            quote_spanned!(span=> const _: fn() = #krate::__private::is_data::<#ty>;)
        });
        checks.collect()
    }
}

/// The path of the package, as if it stood at `span`: what is wrong with it is reported there.
pub(crate) fn at(krate: &Path, span: Span) -> TokenStream {
    let moved = krate.to_token_stream().into_iter().map(|mut token| {
        token.set_span(span);
        token
    });
    moved.collect()
}

fn check_shape(signature: &Signature, role: Role, notes: &mut Diagnostics) {
    let noun = role.noun();
    if signature.asyncness.is_none() {
        notes.report(signature.fn_token, format!("{noun} is an `async fn`"));
    }
    let plain = || format!("{noun} is a plain `async fn`");
    if let Some(constness) = &signature.constness {
        notes.report(constness, plain());
    }
    if !matches!(signature.safety, Safety::Default) {
        notes.report(&signature.safety, plain());
    }
    if let Some(abi) = &signature.abi {
        notes.report(abi, plain());
    }
    if let Some(variadic) = &signature.variadic {
        notes.report(variadic, plain());
    }
}

fn check_generics(signature: &Signature, role: Role, notes: &mut Diagnostics) {
    let noun = role.noun();
    let generics = &signature.generics;
    if !generics.params.is_empty() {
        let message =
            format!("{noun} is recorded by name, so it cannot be generic; write one function per type");
        notes.report(&generics.params, message);
    }
    if let Some(clause) = &generics.where_clause {
        notes.report(clause, format!("{noun} has no type parameters, so it has no `where` clause"));
    }
}

fn check_inputs(signature: &Signature, role: Role, notes: &mut Diagnostics) -> (Context, Vec<Input>) {
    let typed = signature.inputs.iter().filter_map(|argument| match argument {
        FnArg::Typed(argument) => Some(argument),
        FnArg::Receiver(_) => None,
    });
    let mut context = Context::None;
    let mut inputs = Vec::new();
    for (position, argument) in typed.enumerate() {
        if is_named(&argument.ty, role.context()) {
            context = check_context(argument, position, role, notes);
            continue;
        }
        check_input(argument, role, notes);
        inputs.push(Input { name: input_name(argument, position), ty: (*argument.ty).clone() });
    }
    if context == Context::None && role == Role::Workflow {
        notes.report(&signature.ident, "the first parameter of a workflow is `ctx: WorkflowContext`");
    }
    if let Some(extra) = inputs.get(INPUTS_MAX) {
        let message = format!("{} has at most {INPUTS_MAX} inputs; put them into a struct", role.noun());
        notes.report(&extra.ty, message);
    }
    (context, inputs)
}

fn check_context(argument: &PatType, position: usize, role: Role, notes: &mut Diagnostics) -> Context {
    let name = role.context();
    if position > 0 {
        notes.report(argument, format!("the context is the first parameter: `ctx: {name}`"));
    }
    if !matches!(*argument.ty, Type::Reference(_)) {
        return Context::Owned;
    }
    if role == Role::Workflow {
        notes.report(&argument.ty, format!("a workflow owns its context: `ctx: {name}`"));
    }
    Context::Borrowed
}

fn check_input(argument: &PatType, role: Role, notes: &mut Diagnostics) {
    let (other, hint) = match role {
        Role::Activity => (
            Role::Workflow.context(),
            "an activity runs outside the workflow; its context is `ctx: ActivityContext`",
        ),
        Role::Workflow => (
            Role::Activity.context(),
            "a workflow has no `ActivityContext`; its context is `ctx: WorkflowContext`",
        ),
    };
    if is_named(&argument.ty, other) {
        notes.report(&argument.ty, hint);
        return;
    }
    let mut finder = Unrecordable { notes, noun: role.noun() };
    finder.visit_type(&argument.ty);
}

fn input_name(argument: &PatType, position: usize) -> Ident {
    if let Pat::Ident(pattern) = &*argument.pat {
        return pattern.ident.clone();
    }
    format_ident!("input{}", position, span = Span::mixed_site())
}

fn is_named(ty: &Type, name: &str) -> bool {
    if let Type::Reference(reference) = ty {
        return is_named(&reference.elem, name);
    }
    let Type::Path(path) = ty else { return false };
    path.path.segments.last().is_some_and(|segment| segment.ident == name)
}

/// Finds what no recorded type can contain.
struct Unrecordable<'a> {
    notes: &'a mut Diagnostics,
    noun: &'static str,
}

impl<'ast> Visit<'ast> for Unrecordable<'_> {
    fn visit_type_reference(&mut self, reference: &'ast TypeReference) {
        let message = "inputs and results are stored in the history, so they must be owned: \
                       write `String` for `&str`, `Vec<T>` for `&[T]`";
        self.notes.report(reference, message);
    }

    fn visit_type_impl_trait(&mut self, opaque: &'ast TypeImplTrait) {
        let message = format!("{} is recorded by name, so its types are named: no `impl Trait`", self.noun);
        self.notes.report(opaque, message);
        visit::visit_type_impl_trait(self, opaque);
    }
}

#[cfg(test)]
mod tests;
