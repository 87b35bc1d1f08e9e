//! The cargo features of the package that users name.

use std::path::Path;

use anyhow::Context;

/// The features of `steadfast` but for `default`, in alphabetical order.
pub(crate) fn of_sdk() -> anyhow::Result<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sdk/Cargo.toml");
    let manifest =
        std::fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    named_in(&manifest).with_context(|| format!("{} is not a manifest", path.display()))
}

fn named_in(manifest: &str) -> anyhow::Result<Vec<String>> {
    let manifest = manifest.parse::<toml::Table>()?;
    let Some(features) = manifest.get("features").and_then(toml::Value::as_table) else {
        return Ok(Vec::new());
    };
    let mut names = features.keys().filter(|name| *name != "default").cloned().collect::<Vec<_>>();
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::{named_in, of_sdk};

    #[test]
    fn all_features_but_the_default_are_named() {
        let manifest = "[features]\nsled = []\ndefault = [\"sled\"]\nmemory = []\n";
        assert_eq!(named_in(manifest).expect("a manifest"), ["memory", "sled"]);
        assert!(named_in("[package]\nname = \"x\"\n").expect("a manifest").is_empty());
        assert!(named_in("not a manifest").is_err());
    }

    #[test]
    fn the_embedded_store_is_a_feature() {
        assert!(of_sdk().expect("the manifest is there").contains(&"sled".to_owned()));
    }
}
