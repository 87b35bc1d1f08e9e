//! "Did you mean": the known word that is nearest to a misspelt one.

/// What to say about a word that is none of `known`; `what` is "key", "mark" or the like.
pub(crate) fn unknown(what: &str, word: &str, known: &[&str]) -> String {
    match nearest(word, known) {
        Some(near) => format!("unknown {what} `{word}`; did you mean `{near}`?"),
        None => format!("unknown {what} `{word}`; known are {}", list(known)),
    }
}

/// `words` in backticks, with commas.
pub(crate) fn list<S: AsRef<str>>(words: &[S]) -> String {
    words.iter().map(|word| format!("`{}`", word.as_ref())).collect::<Vec<_>>().join(", ")
}

/// The word of `known` that `word` most probably stands for.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let (distance, near) = known.iter().map(|near| (distance(word, near), *near)).min()?;
    let tolerated = (word.len().min(near.len()) / 3).max(1);
    (distance <= tolerated).then_some(near)
}

/// How many letters must be inserted, removed or replaced to make one word of the other (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut previous = i + 1;
        for (j, right) in b.iter().enumerate() {
            let above = row[j + 1];
            let replaced = diagonal + usize::from(left != *right);
            row[j] = previous;
            previous = replaced.min(above + 1).min(previous + 1);
            diagonal = above;
        }
        row[b.len()] = previous;
    }
    row[b.len()]
}

#[cfg(test)]
mod tests;
