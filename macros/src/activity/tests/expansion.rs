use proc_macro2::TokenStream;
use quote::quote;

use crate::activity::expand;

fn expansion(attribute: TokenStream, item: &TokenStream) -> String {
    prettyplease::unparse(&syn::parse2(expand(attribute, item)).unwrap())
}

#[test]
fn of_a_function() {
    insta::assert_snapshot!(expansion(
        quote!(),
        &quote! {
            /// Books a hotel.
            #[tracing::instrument]
            pub async fn book_hotel(ctx: ActivityContext, hotel: String) -> Result<BookingId, BookingError> {
                hotels::book(&hotel, ctx.idempotency_key()).await
            }
        }
    ));
}

#[test]
fn of_a_function_with_every_key() {
    insta::assert_snapshot!(expansion(
        quote! {
            name = "charge", queue = "slow", start_to_close = "1.5s", schedule_to_start = "1m",
            schedule_to_close = "2h", heartbeat = "500ms", cancel_grace = "3s", compensate = bank::refund,
            idempotency_key = "order-{user}-{order.id}", crate = renamed,
            retry(
                initial_interval = "1s", backoff_coefficient = 1.5, maximum_interval = "1m", maximum_attempts = 5,
                jitter = 0, maximum_retry_after = "1d", non_retryable = ["A", "B"],
            ),
            circuit_breaker(failures = 5, successes = 2, open = "30s", key = "{user}"),
        },
        &quote! {
            #[cfg(feature = "bank")]
            #[deprecated]
            async fn r#move(user: String, mut cents: u64, order: Order) -> BankResult<()> {}
        }
    ));
}

#[test]
fn of_a_function_that_borrows_its_context() {
    insta::assert_snapshot!(expansion(
        quote!(),
        &quote!(
            async fn ping(ctx: &ActivityContext) -> Result<(), AnyFailure> {
                Ok(())
            }
        )
    ));
}

#[test]
fn of_an_impl_block() {
    insta::assert_snapshot!(expansion(
        quote!(module = bank),
        &quote! {
            impl Payments {
                /// Takes the money.
                #[activity(compensate = give_back)]
                pub async fn charge(&self, ctx: ActivityContext, user: super::User, id: Self) -> Result<(), E> {
                    self.helper().await
                }
                #[activity]
                #[cfg(feature = "undo")]
                async fn give_back(&self, step: UndoOf<bank::charge>) -> Result<(), E> {
                    Ok(())
                }
                async fn helper(&self) {}
            }
        }
    ));
}

#[test]
fn after_a_mistake_in_the_signature() {
    insta::assert_snapshot!(expansion(
        quote!(),
        &quote!(
            pub fn generic<T: Clone>(x: T) -> Result<(), E>
            where
                T: Copy,
            {
                Ok(())
            }
        )
    ));
}
