//! Ids and names that are empty, blank, too long or hold a zero character.

use anyhow::Context as _;
use steadfast::WorkflowHandle;
use steadfast::prelude::*;
use steadfast_tests::kit::{Bed, QUEUE, StoreKind, TestResult};

use crate::table::Table;

#[activity]
async fn double(n: u64) -> Result<u64, AnyFailure> {
    Ok(2 * n)
}

#[workflow]
async fn naps(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    Ok(ctx.sleep(hours(1)).await?)
}

/// Calls with a key of the caller's own.
#[workflow]
async fn keyed(ctx: WorkflowContext, key: String) -> Result<u64, WorkflowError> {
    Ok(double(&ctx, 1).idempotency_key(key).await?)
}

/// Calls on a queue whose name is told.
#[workflow]
async fn queued(ctx: WorkflowContext, queue: String) -> Result<u64, WorkflowError> {
    Ok(double(&ctx, 1).queue(queue).await?)
}

const USE: &str = "use 1 to 1000 bytes that are not all blanks";

/// Each bad name with what is said of it.
fn bad_names() -> [(String, &'static str); 5] {
    [
        (String::new(), "is empty"),
        ("  \t".to_owned(), "is blank"),
        ("x".repeat(1_001), "is 1001 bytes long"),
        ("é".repeat(501), "is 1002 bytes long"),
        ("a\0b".to_owned(), "contains a zero character"),
    ]
}

async fn bed(kind: StoreKind) -> TestResult<(Bed, WorkflowHandle<naps>)> {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, _| worker.workflow(naps).workflow(keyed).workflow(queued).activity(double)).await?;
    let run = bed.start(naps, "n", ()).await?;
    Ok((bed, run))
}

async fn a_bad_name_is_refused_wherever_it_is_given(kind: StoreKind) -> TestResult {
    let (bed, run) = bed(kind).await?;
    let commits = bed.gate().commits().len();
    let (client, engine) = (bed.client(), bed.engine());
    for (name, problem) in bad_names() {
        let name = name.as_str();
        let of_nobody = client.handle(name);
        let mut said = Table::default();
        said.add("start().id", client.start(naps, ()).id(name).queue(QUEUE).await);
        said.add("start().queue", client.start(naps, ()).queue(name).await);
        said.add("start().request_id", client.start(naps, ()).queue(QUEUE).request_id(name).await);
        said.add("run().id", client.run(double, 1).id(name).queue(QUEUE).await);
        said.add("run().queue", client.run(double, 1).queue(name).await);
        said.add("run().request_id", client.run(double, 1).queue(QUEUE).request_id(name).await);
        said.add("handle().describe", of_nobody.describe().await);
        said.add("handle().history", of_nobody.history().await);
        said.add("handle().outcome", of_nobody.outcome().await);
        said.add("handle().cancel", of_nobody.cancel().await);
        said.add("handle().terminate", of_nobody.terminate("").await);
        said.add("cancel().request_id", run.cancel().request_id(name).await);
        said.add("terminate().request_id", run.terminate("").request_id(name).await);
        said.add("worker()", engine.worker(name).activity(double).start().await);
        let (id, queue) =
            (format!("the workflow id {problem}; {USE}"), format!("the task queue name {problem}; {USE}"));
        let request = format!("the request id {problem}; {USE}");
        said.assert_is(&[
            ("start().id", &id),
            ("start().queue", &queue),
            ("start().request_id", &request),
            ("run().id", &id),
            ("run().queue", &queue),
            ("run().request_id", &request),
            ("handle().describe", &id),
            ("handle().history", &id),
            ("handle().outcome", &id),
            ("handle().cancel", &id),
            ("handle().terminate", &id),
            ("cancel().request_id", &request),
            ("terminate().request_id", &request),
            ("worker()", &queue),
        ]);
    }
    assert_eq!(bed.gate().commits().len(), commits, "nothing is written");
    assert_eq!(client.list(steadfast::ListFilter::default(), None, 10).await?.rows.len(), 1);
    Ok(())
}

async fn a_bad_key_or_queue_of_a_call_is_said_to_the_code(kind: StoreKind) -> TestResult {
    let (bed, _) = bed(kind).await?;
    for (number, (name, problem)) in bad_names().into_iter().enumerate() {
        let id = format!("keyed {number}");
        let error = bed.start(keyed, &id, name.clone()).await?.result().await.err().context("it succeeds")?;
        let told = error.workflow_error().map(ToString::to_string);
        let expected = format!("`double` failed: the idempotency key {problem}; {USE}");
        assert_eq!(told, Some(expected));
        assert_eq!(bed.check_closed(keyed, &id).await?.len(), 2, "nothing is scheduled");
        // A queue without a name is a mistake of the program: documented to panic, which blocks the run.
        let id = format!("queued {number}");
        let run = bed.start(queued, &id, name).await?;
        let blocked = run.describe().await?.blocked.unwrap_or_default();
        assert!(blocked.starts_with("the workflow panicked: the name of a task queue"), "{blocked}");
        assert!(blocked.contains(problem), "{blocked}");
        run.terminate("mistaken").await?;
    }
    Ok(())
}

/// What is at the border is accepted.
async fn the_longest_name_is_accepted_everywhere(kind: StoreKind) -> TestResult {
    let (mut bed, _) = bed(kind).await?;
    let long = "é".repeat(500);
    let queue = long.clone();
    bed.serve_queue(&queue, |worker, _| worker.workflow(naps).workflow(keyed).activity(double)).await?;
    let client = bed.client();
    let start = client.start(keyed, long.clone()).id(&long).queue(&long).request_id(&long);
    assert_eq!(start.await?.result().await?, 2);
    let start = client.start(keyed, long.clone()).id(&long).queue(&long).request_id(&long);
    assert_eq!(start.await?.result().await?, 2, "the same request finds the same run");
    let nap = client.start(naps, ()).id("x".repeat(1_000)).queue(&long).await?;
    nap.cancel().request_id(&long).await?;
    assert!(nap.result().await.is_err());
    Ok(())
}

steadfast_tests::on_stores!(
    a_bad_name_is_refused_wherever_it_is_given,
    a_bad_key_or_queue_of_a_call_is_said_to_the_code,
    the_longest_name_is_accepted_everywhere,
);
