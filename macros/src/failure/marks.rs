//! The marks in `#[failure(..)]`, read and checked.

use syn::spanned::Spanned as _;
use syn::{Error, Expr, ExprLit, Fields, Index, Lit, Member};

use crate::diagnostics::Diagnostics;
use crate::meta::Entry;
use crate::suggest;

const MARKS: &[&str] = &["retryable", "no_effect", "retry_after", "non_retryable", "compensate", "severity"];
/// Pairs that contradict each other.
const EXCLUDING: &[(&str, &str)] = &[
    ("non_retryable", "retryable"),
    ("non_retryable", "retry_after"),
    ("compensate", "retryable"),
    ("compensate", "retry_after"),
    ("compensate", "non_retryable"),
    ("compensate", "no_effect"),
];
const SEVERITIES: &[&str] = &["auto", "alert", "intervene"];

/// What is said of one variant.
#[derive(Debug, Default)]
pub(super) struct Marks {
    pub(super) non_retryable: bool,
    pub(super) no_effect: bool,
    pub(super) retry_after: Option<Member>,
    pub(super) compensate: bool,
    pub(super) severity: Severity,
}

/// Who has to know of a failure that is compensated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Severity {
    #[default]
    Auto,
    Alert,
    Intervene,
}

/// Whether `key` is a mark.
pub(super) fn is_known(key: &str) -> bool {
    MARKS.contains(&key)
}

impl Marks {
    /// Reads the marks of a variant with `fields`.
    pub(super) fn read(entries: &[Entry], fields: &Fields, notes: &mut Diagnostics) -> Self {
        let mut marks = Self::default();
        for entry in entries {
            if let Err(error) = marks.read_one(entry, fields) {
                notes.push(error);
            }
        }
        let find = |key: &str| entries.iter().find(|entry| entry.key == key);
        for (one, other) in EXCLUDING {
            if let (Some(entry), Some(_)) = (find(one), find(other)) {
                notes.push(entry.refuse(format!("`{one}` and `{other}` exclude each other")));
            }
        }
        if let (Some(entry), None) = (find("severity"), find("compensate")) {
            notes.push(
                entry.refuse(
                    "`severity` goes with `compensate`: `#[failure(compensate, severity = \"alert\")]`",
                ),
            );
        }
        marks
    }

    fn read_one(&mut self, entry: &Entry, fields: &Fields) -> syn::Result<()> {
        match &*entry.key {
            "retryable" => entry.flag()?,
            "non_retryable" => {
                entry.flag()?;
                self.non_retryable = true;
            }
            "no_effect" => {
                entry.flag()?;
                self.no_effect = true;
            }
            "retry_after" => self.retry_after = Some(field(entry, fields)?),
            "compensate" => {
                entry.flag()?;
                self.compensate = true;
            }
            "severity" => self.severity = severity(entry)?,
            "crate" => return Err(entry.refuse("`crate` belongs on the type, not on a variant")),
            other => return Err(entry.refuse(suggest::unknown("mark", other, MARKS))),
        }
        Ok(())
    }
}

fn severity(entry: &Entry) -> syn::Result<Severity> {
    let text = entry.text("\"alert\"")?;
    match &*text.value() {
        "auto" => Ok(Severity::Auto),
        "alert" => Ok(Severity::Alert),
        "intervene" => Ok(Severity::Intervene),
        other => Err(Error::new(text.span(), suggest::unknown("severity", other, SEVERITIES))),
    }
}

/// The field that `retry_after` names.
fn field(entry: &Entry, fields: &Fields) -> syn::Result<Member> {
    let value = entry.value("wait")?;
    let member = member(value);
    let known = known(fields);
    let found = member.filter(|member| known.contains(member));
    found.ok_or_else(|| {
        let hint = if known.is_empty() {
            "it has none".to_owned()
        } else {
            let names: Vec<String> = known.iter().map(written).collect();
            format!("its fields are {}", suggest::list(&names))
        };
        let message = format!("`retry_after` names a field of this variant that holds a `Duration`; {hint}");
        Error::new_spanned(value, message)
    })
}

fn member(value: &Expr) -> Option<Member> {
    if let Expr::Path(path) = value {
        return path.path.get_ident().cloned().map(Member::Named);
    }
    let Expr::Lit(ExprLit { lit: Lit::Int(index), .. }) = value else { return None };
    Some(Member::Unnamed(Index { index: index.base10_parse().ok()?, span: value.span() }))
}

fn known(fields: &Fields) -> Vec<Member> {
    fields.members().collect()
}

fn written(member: &Member) -> String {
    match member {
        Member::Named(ident) => ident.to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    }
}
