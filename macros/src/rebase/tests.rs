use quote::quote;
use syn::{Type, Visibility, parse_quote};

use super::{down, down_visibility};

#[test]
fn paths_mean_the_same_one_module_down() {
    let this: Type = parse_quote!(Payments);
    for (tokens, expected) in [
        (quote!(String), quote!(String)),
        (quote!(self::Id), quote!(super::Id)),
        (quote!(super::Id), quote!(super::super::Id)),
        (quote!(super::super::Id), quote!(super::super::super::Id)),
        (quote!(crate::Id), quote!(crate::Id)),
        (quote!(Vec<(super::Id, Self)>), quote!(Vec<(super::super::Id, Payments)>)),
        (quote!(Option<self::Id>), quote!(Option<super::Id>)),
        (quote!(::bank::Id), quote!(::bank::Id)),
        (quote!(<Self as Bank>::Id), quote!(<Payments as Bank>::Id)),
    ] {
        let moved = down(&tokens, &this).to_string();
        let expected = expected.to_string();
        assert_eq!(moved, expected, "{tokens}");
    }
}

#[test]
fn visibilities_reach_as_far_one_module_down() {
    let this: Type = parse_quote!(Payments);
    let cases: [(Visibility, Visibility); 6] = [
        (Visibility::Inherited, parse_quote!(pub(super))),
        (parse_quote!(pub), parse_quote!(pub)),
        (parse_quote!(pub(crate)), parse_quote!(pub(crate))),
        (parse_quote!(pub(super)), parse_quote!(pub(in super::super))),
        (parse_quote!(pub(self)), parse_quote!(pub(in super))),
        (parse_quote!(pub(in crate::bank)), parse_quote!(pub(in crate::bank))),
    ];
    for (visibility, expected) in cases {
        assert_eq!(down_visibility(&visibility, &this), expected);
    }
}
