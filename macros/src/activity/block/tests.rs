use super::snake_case;

#[test]
fn type_names_become_module_names() {
    for (name, expected) in [
        ("Payments", "payments"),
        ("BankApi", "bank_api"),
        ("HTTPClient", "http_client"),
        ("A", "a"),
        ("V2", "v2"),
    ] {
        let ident = proc_macro2::Ident::new(name, proc_macro2::Span::call_site());
        assert_eq!(snake_case(&ident).to_string(), expected);
    }
}
