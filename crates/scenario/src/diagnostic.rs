//! The message when a scenario is refused: the error, its place (file, line and caret, or the
//! `--set` that did it), the nearest valid names, and what to write instead.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A text with a name, kept for the excerpts of diagnostics.
#[derive(Debug)]
pub struct Text {
    /// File name as given.
    pub name: String,
    /// Content.
    pub content: String,
}

/// Where a value was written.
#[derive(Clone, Debug)]
pub enum Origin {
    /// Bytes of a text.
    Span(Arc<Text>, Range<usize>),
    /// A text that keeps no positions (JSON), or its end.
    Whole(Arc<Text>),
    /// An override, such as `--set flows.f1.class=1`.
    Set(Arc<str>),
}

/// One refusal.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// The error.
    pub what: String,
    /// File, or "--set PATH=VALUE".
    pub place: String,
    /// Line in the file, from 1.
    pub line: Option<u32>,
    /// Column in the line, in characters from 1.
    pub column: Option<u32>,
    /// Valid names, nearest first.
    pub nearest: Vec<String>,
    /// The text to write instead.
    pub fix: String,
    excerpt: Option<Box<Excerpt>>,
}

/// The line to blame, cut to a readable width.
#[derive(Clone, Debug, PartialEq)]
struct Excerpt {
    line: String,
    indent: usize,
    carets: usize,
}

/// Characters of a line shown before the caret, and in all.
const LEAD: usize = 60;
const WIDTH: usize = 110;

/// A problem and its remedy, without the place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fault {
    /// The error.
    pub what: String,
    /// Valid names, nearest first.
    pub nearest: Vec<String>,
    /// The text to write instead.
    pub fix: String,
}

impl Fault {
    /// A fault without nearest names.
    pub fn new(what: impl Into<String>, fix: impl Into<String>) -> Fault {
        Fault {
            what: what.into(),
            nearest: Vec::new(),
            fix: fix.into(),
        }
    }

    /// `name` is none of `valid`: names the nearest, or all when none is near.
    pub fn unknown<'a>(
        what: impl Into<String>,
        name: &str,
        valid: impl IntoIterator<Item = &'a str>,
    ) -> Fault {
        let valid: Vec<&str> = valid.into_iter().collect();
        let nearest = nearest(name, valid.iter().copied());
        let fix = match (nearest.first(), valid.is_empty()) {
            (Some(first), _) => format!("write `{first}`"),
            (None, true) => "remove it".to_owned(),
            (None, false) => format!("write one of {}", listed(&valid)),
        };
        Fault {
            what: what.into(),
            nearest,
            fix,
        }
    }

    /// The fault at its place.
    pub fn at(self, origin: &Origin) -> Diagnostic {
        let mut found = Diagnostic {
            what: clean(&self.what),
            place: String::new(),
            line: None,
            column: None,
            nearest: self.nearest.iter().map(|n| clean(n)).collect(),
            fix: clean(&self.fix),
            excerpt: None,
        };
        match origin {
            Origin::Set(set) => found.place = clean(set),
            Origin::Whole(text) => found.place = clean(&text.name),
            Origin::Span(text, span) => found.point(text, span),
        }
        found
    }
}

impl Diagnostic {
    fn point(&mut self, text: &Text, span: &Range<usize>) {
        let content = &text.content;
        let start = floor_boundary(content, span.start);
        let end = floor_boundary(content, span.end).max(start);
        let line_start = content[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = content[start..]
            .find('\n')
            .map_or(content.len(), |i| start + i);
        let before = content[line_start..start].chars().count();
        let marked = content[start..end.min(line_end).max(start)].chars().count();
        let skipped = before.saturating_sub(LEAD);
        let line = content[line_start..line_end].trim_end_matches('\r');
        let visible = |c: char| if c.is_control() { ' ' } else { c };

        self.place = clean(&text.name);
        self.line = u32::try_from(content[..start].matches('\n').count() + 1).ok();
        self.column = u32::try_from(before + 1).ok();
        self.excerpt = Some(Box::new(Excerpt {
            line: line
                .chars()
                .skip(skipped)
                .take(WIDTH)
                .map(visible)
                .collect(),
            indent: before - skipped,
            carets: marked.clamp(1, WIDTH - LEAD),
        }));
    }

    /// The JSON object of the contract's refusals.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::json!({
            "what": self.what, "place": self.place, "line": self.line, "column": self.column,
            "nearest": self.nearest, "fix": self.fix,
        })
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "error: {}", self.what)?;
        let number = self.line.map_or_else(String::new, |l| l.to_string());
        let margin = " ".repeat(number.len());
        write!(f, "{margin}--> {}", self.place)?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, ":{line}:{column}")?;
        }
        writeln!(f)?;
        if let Some(excerpt) = &self.excerpt {
            writeln!(f, "{margin} |")?;
            writeln!(f, "{number} | {}", excerpt.line)?;
            writeln!(
                f,
                "{margin} | {}{}",
                " ".repeat(excerpt.indent),
                "^".repeat(excerpt.carets)
            )?;
        }
        if !self.nearest.is_empty() {
            let names: Vec<&str> = self.nearest.iter().map(String::as_str).collect();
            writeln!(f, "{margin} = nearest: {}", listed(&names))?;
        }
        write!(f, "{margin} = fix: {}", self.fix)
    }
}

impl std::error::Error for Diagnostic {}

/// `a`, `b`, `c`, cut where the list gets long.
pub fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 12;
    let mut text = names
        .iter()
        .take(SHOWN)
        .map(|n| format!("`{n}`"))
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    text
}

/// At most three of `valid` that differ from `name` by few edits, nearest first.
pub fn nearest<'a>(name: &str, valid: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    const LONGEST: usize = 80;
    let wanted: Vec<char> = name
        .chars()
        .take(LONGEST)
        .flat_map(char::to_lowercase)
        .collect();
    let allowed = (wanted.len() / 3).max(2);
    let mut near: Vec<(usize, &str)> = Vec::new();
    for candidate in valid {
        let letters: Vec<char> = candidate
            .chars()
            .take(LONGEST)
            .flat_map(char::to_lowercase)
            .collect();
        if letters.len().abs_diff(wanted.len()) > allowed {
            continue;
        }
        let edits = distance(&wanted, &letters);
        // Where every letter differs, nothing is near: a one-letter name is not a slip of another.
        if edits <= allowed && edits < wanted.len() {
            near.push((edits, candidate));
        }
    }
    near.sort_by_key(|(edits, _)| *edits);
    near.dedup_by_key(|(_, candidate)| *candidate);
    near.into_iter()
        .take(3)
        .map(|(_, candidate)| candidate.to_owned())
        .collect()
}

/// Edit distance with transpositions of neighbours (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replace = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// Prepares a person's text for a message: no control characters, and a bounded length.
fn clean(text: &str) -> String {
    const LONGEST: usize = 500;
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let mut shown: String = text.chars().take(LONGEST).map(visible).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

fn floor_boundary(text: &str, index: usize) -> usize {
    let mut index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(content: &str) -> Arc<Text> {
        Arc::new(Text {
            name: "x.toml".to_owned(),
            content: content.to_owned(),
        })
    }

    #[test]
    fn a_refusal_shows_file_line_caret_nearest_and_fix() {
        let text = text("seed = 1\nflows.f1.sorce = 1\n");
        let fault = Fault::unknown(
            "unknown field `sorce` in `flows.f1`",
            "sorce",
            ["from", "source", "start"],
        );
        let found = fault.at(&Origin::Span(text, 18..23));
        assert_eq!((found.line, found.column), (Some(2), Some(10)));
        assert_eq!(
            found.to_string(),
            "error: unknown field `sorce` in `flows.f1`\n --> x.toml:2:10\n  |\n2 | flows.f1.sorce = 1\n  \
             |          ^^^^^\n  = nearest: `source`\n  = fix: write `source`"
        );
    }

    #[test]
    fn columns_count_characters_and_control_characters_are_not_echoed() {
        let found = Fault::new("w", "f").at(&Origin::Span(text("\u{e9}\t\u{1b}= \"x\""), 6..9));
        assert_eq!(found.column, Some(6));
        assert!(
            found
                .to_string()
                .contains("| \u{e9}  = \"x\"\n  |      ^^^\n"),
            "{found}"
        );
    }

    #[test]
    fn a_line_of_a_megabyte_is_cut_around_the_caret() {
        let line = format!("{}!{}", "a".repeat(500_000), "b".repeat(500_000));
        let found = Fault::new("w", "f").at(&Origin::Span(text(&line), 500_000..1_000_001));
        let shown = found.to_string();
        assert!(shown.len() < 500, "{}", shown.len());
        assert!(shown.contains("a!b"));
        assert_eq!(found.column, Some(500_001));
    }

    #[test]
    fn what_a_person_wrote_comes_back_short_and_without_control_characters() {
        let found = Fault::new(format!("\u{1b}[31m{}", "x".repeat(10_000)), "f")
            .at(&Origin::Set("s".into()));
        assert!(found.what.starts_with("\u{fffd}[31mx"), "{found}");
        assert_eq!(found.what.chars().count(), 501);
    }

    #[test]
    fn a_span_past_the_end_points_at_the_end() {
        let found = Fault::new("w", "f").at(&Origin::Span(text("a = "), 90..99));
        assert_eq!((found.line, found.column), (Some(1), Some(5)));
    }

    #[test]
    fn the_json_form_has_the_keys_of_the_contract() {
        let found = Fault::new("w", "f").at(&Origin::Set("--set a=1".into()));
        assert_eq!(
            found.to_json().to_string(),
            r#"{"what":"w","place":"--set a=1","line":null,"column":null,"nearest":[],"fix":"f"}"#
        );
    }

    #[test]
    fn swapped_letters_are_one_edit() {
        let chars = |s: &str| s.chars().collect::<Vec<_>>();
        for (a, b, edits) in [
            ("unifrom", "uniform", 1),
            ("kitten", "sitting", 3),
            ("", "ab", 2),
            ("abc", "abc", 0),
        ] {
            assert_eq!(distance(&chars(a), &chars(b)), edits, "{a} {b}");
        }
        assert_eq!(
            nearest(
                "uniform-unifrom",
                ["cbr", "uniform-fixed", "uniform-uniform"]
            )[0],
            "uniform-uniform"
        );
        assert!(nearest("zzzz", ["cbr", "video"]).is_empty());
    }
}
