use steadfast_core::Effect;

use super::Undo;

#[test]
fn the_json_form_is_the_one_that_sagas_write() {
    for (effect, word) in [(Effect::Done, "done"), (Effect::None, "none"), (Effect::Unknown, "unknown")] {
        let undo = Undo { input: ("Ritz", 2), output: Some(17), idempotency_key: "w/r/5".to_owned(), effect };
        let text =
            format!(r#"{{"input":["Ritz",2],"output":17,"idempotency_key":"w/r/5","effect":"{word}"}}"#);
        assert_eq!(serde_json::to_string(&undo).unwrap(), text);
        let back: Undo<(&str, u8), u64> = serde_json::from_str(&text).unwrap();
        assert_eq!((back.effect, back.output), (effect, Some(17)));
    }
}

#[test]
fn a_step_without_output_has_null() {
    let text = r#"{"input":null,"output":null,"idempotency_key":"k","effect":"unknown"}"#;
    let undo: Undo<(), u64> = serde_json::from_str(text).unwrap();
    assert_eq!(undo.output, None);
}
