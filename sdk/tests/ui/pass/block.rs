//! Activities with state: the methods stay, stubs and types stand in a module.

#![deny(warnings)]

use steadfast::prelude::*;

mod bank {
    use steadfast::prelude::*;

    #[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
    #[error("declined")]
    #[failure(non_retryable)]
    pub struct Declined;

    pub mod types {
        use super::{Deserialize, Serialize};

        #[derive(Debug, Serialize, Deserialize)]
        pub struct Cents(pub u64);
    }

    /// Holds the connection.
    pub struct Payments {
        pool: String,
    }

    #[activity]
    impl Payments {
        pub fn new(pool: &str) -> Self {
            Self { pool: pool.to_owned() }
        }

        /// Takes the money.
        #[activity(compensate = give_back, idempotency_key = "{user}")]
        pub async fn charge(
            &self,
            ctx: ActivityContext,
            user: String,
            cents: self::types::Cents,
        ) -> Result<u64, Declined> {
            let _ = ctx.attempt();
            self.checked(&user);
            Ok(cents.0)
        }

        #[activity(name = "payments.give_back")]
        pub(crate) async fn give_back(&self, step: UndoOf<payments::charge>) -> Result<(), Declined> {
            let (user, _cents) = step.input;
            self.checked(&user);
            Ok(())
        }

        #[activity]
        async fn look(&self, ctx: &ActivityContext) -> Result<String, super::Other> {
            let _ = ctx;
            Ok(self.pool.clone())
        }

        fn checked(&self, user: &str) {
            assert_ne!(user, self.pool);
        }
    }

    pub async fn pool(ctx: &WorkflowContext) -> Result<String, WorkflowError> {
        Ok(payments::look(ctx).await?)
    }
}

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("other")]
pub struct Other;

struct Mail;

#[activity(module = post)]
impl Mail {
    #[activity]
    async fn send(&self, to: String) -> Result<(), AnyFailure> {
        drop(to);
        Ok(())
    }
}

use bank::payments::{charge, give_back};
use bank::types::Cents;

#[workflow]
async fn pay(ctx: WorkflowContext, user: String) -> Result<u64, WorkflowError> {
    bank::pool(&ctx).await?;
    post::send(&ctx, user.clone()).await?;
    ctx.saga(async |saga| Ok(charge(saga, user, Cents(5)).compensate(give_back).await?)).await
}

fn main() {
    let mut set = steadfast::Activities::new();
    steadfast::ActivitySet::register(bank::Payments::new("pool"), &mut set);
    steadfast::ActivitySet::register(Mail, &mut set);
    assert_eq!(set.names().collect::<Vec<_>>(), ["charge", "payments.give_back", "look", "send"]);
    assert_eq!(<pay as steadfast::Workflow>::NAME, "pay");
}
