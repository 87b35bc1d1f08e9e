//! Rust code as words and marks, without comments, strings and characters.
//!
//! Just enough of the language for the rules: what a comment or a message says is not code.

/// A name, a number, `::` or a single mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) text: String,
    /// Counted from 1.
    pub(crate) line: usize,
}

/// The tokens of a Rust file.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut reader = Reader { chars: text.chars().collect(), at: 0, line: 1, found: Vec::new() };
    while reader.at < reader.chars.len() {
        reader.step();
    }
    reader.found
}

/// Where `pattern` stands in `tokens`, as indexes of its first token.
pub(crate) fn find_all(tokens: &[Token], pattern: &[&str]) -> Vec<usize> {
    let fits = |window: &[Token]| window.iter().zip(pattern).all(|(token, wanted)| token.text == *wanted);
    tokens.windows(pattern.len()).enumerate().filter(|(_, window)| fits(window)).map(|(at, _)| at).collect()
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    line: usize,
    found: Vec<Token>,
}

impl Reader {
    fn step(&mut self) {
        let (now, next) = (self.chars[self.at], self.peek(1));
        match now {
            '/' if next == Some('/') => self.skip_until(|reader| reader.peek(0) == Some('\n')),
            '/' if next == Some('*') => self.skip_block_comment(),
            '"' => self.skip_string(),
            '\'' => self.skip_char_or_lifetime(),
            ':' if next == Some(':') => self.push(2),
            _ if now.is_alphanumeric() || now == '_' => self.word(),
            _ if now.is_whitespace() => self.skip(1),
            _ => self.push(1),
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn skip(&mut self, count: usize) {
        let end = (self.at + count).min(self.chars.len());
        self.line += self.chars[self.at..end].iter().filter(|passed| **passed == '\n').count();
        self.at = end;
    }

    fn skip_until(&mut self, stop: impl Fn(&Self) -> bool) {
        while self.at < self.chars.len() && !stop(self) {
            self.skip(1);
        }
    }

    fn push(&mut self, count: usize) {
        let end = (self.at + count).min(self.chars.len());
        let text = self.chars[self.at..end].iter().collect();
        self.found.push(Token { text, line: self.line });
        self.at = end;
    }

    /// A name or number, or a string that begins with a letter: r"", r#""#, b"", br#""#, c"".
    fn word(&mut self) {
        let mut length = 0;
        while self.peek(length).is_some_and(|next| next.is_alphanumeric() || next == '_') {
            length += 1;
        }
        let word = self.chars[self.at..self.at + length].iter().collect::<String>();
        let hashes = (0..).take_while(|hash| self.peek(length + hash) == Some('#')).count();
        let is_quote = self.peek(length + hashes) == Some('"');
        match word.as_str() {
            "r" | "br" | "cr" if is_quote => self.skip_raw_string(length + hashes, hashes),
            "b" | "c" if is_quote && hashes == 0 => {
                self.skip(1);
                self.skip_string();
            }
            "r" if hashes == 1 => self.skip(2), // r#name: the name follows
            _ => self.push(length),
        }
    }

    fn skip_string(&mut self) {
        self.skip(1);
        while self.at < self.chars.len() && self.peek(0) != Some('"') {
            self.skip(if self.peek(0) == Some('\\') { 2 } else { 1 });
        }
        self.skip(1);
    }

    fn skip_raw_string(&mut self, opening: usize, hashes: usize) {
        self.skip(opening + 1);
        self.skip_until(|reader| {
            reader.peek(0) == Some('"') && (1..=hashes).all(|hash| reader.peek(hash) == Some('#'))
        });
        self.skip(1 + hashes);
    }

    fn skip_block_comment(&mut self) {
        let mut depth = 0;
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some('/'), Some('*')) => (depth, _) = (depth + 1, self.skip(2)),
                (Some('*'), Some('/')) => (depth, _) = (depth - 1, self.skip(2)),
                (Some(_), _) => self.skip(1),
                (None, _) => return,
            }
            if depth == 0 {
                return;
            }
        }
    }

    /// `'x'` and `'\n'` are characters, `'a` before anything else is a lifetime.
    fn skip_char_or_lifetime(&mut self) {
        if self.peek(1) == Some('\\') {
            self.skip(3);
            self.skip_until(|reader| reader.peek(0) == Some('\''));
            self.skip(1);
        } else if self.peek(2) == Some('\'') {
            self.skip(3);
        } else {
            self.skip(1);
        }
    }
}

fn words(text: &str) -> Vec<String> {
    tokens(text).into_iter().map(|token| token.text).collect()
}

#[test]
fn names_marks_and_paths_are_tokens() {
    assert_eq!(words("std::fs::read(x)?;"), ["std", "::", "fs", "::", "read", "(", "x", ")", "?", ";"]);
    assert_eq!(words("r#type: &'a str"), ["type", ":", "&", "a", "str"]);
}

#[test]
fn comments_strings_and_characters_are_not() {
    assert_eq!(words("a // b\nc /* d /* e */ f */ g"), ["a", "c", "g"]);
    assert_eq!(words("a \"b \\\" c\" d r#\"e \" f\"# g b\"h\" i br\"j\" k"), ["a", "d", "g", "i", "k"]);
    assert_eq!(words("a 'b' c '\\'' d '\\u{1F600}' e '\"' f"), ["a", "c", "d", "e", "f"]);
    assert_eq!(words("/// Doc with `HashMap`.\nstruct A;"), ["struct", "A", ";"]);
}

#[test]
fn lines_are_counted_through_everything_skipped() {
    let text = "/* one\ntwo */ \"three\nfour\"\n// five\nhere";
    assert_eq!(tokens(text), [Token { text: "here".to_owned(), line: 5 }]);
}

#[test]
fn a_pattern_is_found_wherever_it_stands() {
    let tokens = tokens("tokio::spawn(a); x::tokio::spawn(b)");
    assert_eq!(find_all(&tokens, &["tokio", "::", "spawn"]), [0, 9]);
    assert!(find_all(&tokens, &["tokio", "::", "time"]).is_empty());
}
