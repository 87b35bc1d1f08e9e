use super::*;

#[test]
fn empty_blank_and_over_long_ids_are_refused_with_a_reason() {
    let message = |text: &str| WorkflowId::new(text).unwrap_err().to_string();
    let rule = "use 1 to 1000 bytes that are not all blanks";
    assert_eq!(message(""), format!("the workflow id is empty; {rule}"));
    assert_eq!(message(" \t\n"), format!("the workflow id is blank; {rule}"));
    assert_eq!(message("a\0b"), format!("the workflow id contains a zero character; {rule}"));
    assert_eq!(message(&"x".repeat(1_001)), format!("the workflow id is 1001 bytes long; {rule}"));
    assert_eq!(WorkflowId::new("x".repeat(1_000)).unwrap().as_str().len(), 1_000);
}

#[test]
fn ids_from_outside_are_checked_too() {
    assert!(serde_json::from_str::<QueueName>("\"\"").is_err());
    assert_eq!(serde_json::from_str::<QueueName>("\"q\"").unwrap().as_str(), "q");
}

#[test]
fn run_ids_sort_by_time_and_survive_text() {
    let (early, late) = (RunId::new(1, &[255; 10]), RunId::new(2, &[0; 10]));
    assert!(early < late);
    assert_eq!(RunId::parse(&early.to_string()).unwrap(), early);
    assert!(RunId::parse("x").is_err());
}

/// The hash decides where a workflow's rows lie: it is part of the stored format.
#[test]
fn shards_of_workflow_ids_never_change() {
    let shards: Vec<u16> = ["a", "tour-991", "order-1", "ünïcode"]
        .iter()
        .map(|id| WorkflowId::new(id).unwrap().shard(64).0)
        .collect();
    assert_eq!(shards, SHARDS);
    let mut counts = [0_u32; 64];
    for n in 0..64_000 {
        counts[usize::from(WorkflowId::new(format!("order-{n}")).unwrap().shard(64).0)] += 1;
    }
    let spread = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
    assert!(*spread.0 > 800 && *spread.1 < 1_200, "{spread:?}");
}

const SHARDS: [u16; 4] = [0, 60, 50, 40];
