use proc_macro2::{Delimiter, Group, TokenStream};
use quote::quote;

use super::{Class, check};
use crate::diagnostics::Diagnostics;

fn found(body: TokenStream, allowed: &[Class]) -> Vec<String> {
    let mut notes = Diagnostics::default();
    check(&Group::new(Delimiter::Brace, body), allowed, &mut notes);
    notes.messages().iter().map(|message| message.split('`').nth(1).unwrap_or_default().to_owned()).collect()
}

#[test]
fn banned_calls_are_found_wherever_they_stand() {
    for (body, expected) in [
        (quote!(let t = std::time::SystemTime::now();), "std::time::SystemTime::now"),
        (quote!(let t = maybe.unwrap_or_else(Instant::now);), "Instant::now"),
        (quote!(tokio::spawn(async {});), "tokio::spawn"),
        (quote!(join!(tokio::time::sleep(secs(1)), ctx.sleep(secs(2)));), "tokio::time::sleep"),
        (quote!(tokio::select! { _ = a => {} }), "tokio::select"),
        (
            quote!(if x {
                loop {
                    let n: u64 = rand::random();
                }
            }),
            "rand::random",
        ),
        (quote!(let n = rand::random::<u64>();), "rand::random"),
        (quote!(let id = uuid::Uuid::new_v4();), "uuid::Uuid::new_v4"),
        (quote!(let v = std::env::var("HOME")?;), "std::env::var"),
        (quote!(let text = std::fs::read_to_string(path)?;), "std::fs::read_to_string"),
        (quote!(let text = tokio::fs::read(path).await?;), "tokio::fs::read"),
        (quote!(let s = TcpStream::connect(addr)?;), "TcpStream::connect"),
        (quote!(std::thread::sleep(d);), "std::thread::sleep"),
        (quote!(let c = async move { reqwest::get(url).await };), "reqwest::get"),
        (quote!(std::process::Command::new("ls");), "std::process::Command::new"),
    ] {
        assert_eq!(found(body.clone(), &[]), [expected], "{body}");
    }
}

#[test]
fn other_code_is_left_alone() {
    for body in [
        quote!(let t = ctx.now(); let n = ctx.random();),
        quote!(let file: std::fs::File = given;),
        quote!(
            use rand::Rng;
        ),
        quote!(crate::fs::plan(x); my::env::load();),
        quote!(let now = event.now(); let spawn = task.spawn();),
        quote!(let text = "std::time::Instant::now()";),
        quote!(steadfast::select! { r = call => {} }),
    ] {
        assert_eq!(found(body.clone(), &[]), [""; 0], "{body}");
    }
}

#[test]
fn what_runs_once_is_exempt() {
    for body in [
        quote!(ctx.step("now", async move || Ok(SystemTime::now())).await?;),
        quote!(ctx.side_effect(|| rand::random::<u64>());),
        quote!(ctx.step::<u64, _, _>("n", async || Ok(rand::random())).await?;),
        quote!(join!(ctx.step("a", async || Ok(std::fs::read("x")?)), ctx.sleep(d));),
    ] {
        assert_eq!(found(body.clone(), &[]), [""; 0], "{body}");
    }
    assert_eq!(found(quote!(ctx.step("a", f).await?; Instant::now();), &[]), ["Instant::now"]);
    assert_eq!(found(quote!(let step = self.step; f(Instant::now());), &[]), ["Instant::now"]);
}

#[test]
fn a_class_can_be_allowed() {
    let body = quote!(Instant::now(); std::env::var("A"););
    assert_eq!(found(body.clone(), &[Class::Clock]), ["std::env::var"]);
    assert_eq!(found(body, &[Class::Clock, Class::Env]), [""; 0]);
}

#[test]
fn iteration_over_a_hash_map_is_found() {
    for (body, expected) in [
        (quote!(let mut m = HashMap::new(); for (k, v) in &m {}), "m"),
        (quote!(let m: std::collections::HashMap<u8, u8> = f(); for x in m {}), "m"),
        (quote!(let s = HashSet::from([1]); let v: Vec<_> = s.iter().collect();), "s.iter"),
        (quote!(let mut m = HashMap::new(); if a { join_all(m.values().map(f)).await; }), "m.values"),
    ] {
        assert_eq!(found(body.clone(), &[]), [expected], "{body}");
    }
    for body in [
        quote!(let m = HashMap::new(); let x = m.get(&1);),
        quote!(let m = BTreeMap::new(); for x in &m {}),
        quote!(let v = f(HashMap::new()); for x in v {}),
        quote!(let v: HashSet<u8> = v.into_iter().collect(); let v: BTreeSet<u8> = sorted(v); for x in v {}),
        quote!(if a { let m = HashMap::new(); } for x in m {}),
    ] {
        assert_eq!(found(body.clone(), &[]), [""; 0], "{body}");
    }
}

#[test]
fn the_message_names_the_way_out() {
    let mut notes = Diagnostics::default();
    check(&Group::new(Delimiter::Brace, quote!(SystemTime::now();)), &[], &mut notes);
    assert_eq!(
        notes.messages(),
        ["`SystemTime::now` in a workflow gives another answer at replay\n  \
          help: use `ctx.now()`, which replays to the same instant\n  \
          help: if it cannot reach a decision: #[workflow(allow(clock))]"]
    );
}
