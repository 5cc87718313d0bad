//! Queues of a link in mahimahi's words: `--uplink-queue=droptail --uplink-queue-args=packets=100`.
//!
//! Reference: mahimahi mm-link(1). A name that mahimahi does not have is a row of the table of queues.

use backwater_scenario::{MAHIMAHI_QUEUES, UNBOUNDED};
use serde_json::{Map, Value, json};

use crate::fault::Fault;

/// The queue that one direction of a link asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Queue {
    /// The word of `--uplink-queue`.
    pub kind: Option<String>,
    /// The words of `--uplink-queue-args`.
    pub arguments: Option<String>,
}

impl Queue {
    /// The fields `queue` and `buffer` of a port.
    ///
    /// # Errors
    /// The word that mahimahi does not know either.
    pub fn fields(&self) -> Result<Map<String, Value>, Fault> {
        let word = self.kind.as_deref().unwrap_or(UNBOUNDED);
        let known = MAHIMAHI_QUEUES.iter().find(|(name, _)| *name == word);
        let kind = known.map_or(word, |(_, kind)| kind);
        let mut queue = Map::from_iter([("kind".to_owned(), json!(kind))]);
        let mut fields = Map::new();
        for pair in self.arguments.iter().flat_map(|all| all.split([',', ' '])) {
            let Some((name, value)) = pair.trim().split_once('=') else {
                return Err(refused(pair, "write NAME=NUMBER, separated by commas"));
            };
            let number = || {
                let parsed = value.trim_matches('"').parse::<u64>();
                parsed.map_err(|_| refused(pair, "write a whole number"))
            };
            match name {
                "packets" => {
                    drop(fields.insert("buffer".into(), json!(format!("{} packets", number()?))))
                }
                "bytes" => drop(fields.insert("buffer".into(), json!(format!("{} B", number()?)))),
                // mahimahi counts these in milliseconds.
                "target" | "interval" | "qdelay_ref" | "max_burst" => {
                    let name = if name == "qdelay_ref" {
                        "reference"
                    } else {
                        name
                    };
                    queue.insert(name.into(), json!(format!("{} ms", number()?)));
                }
                _ => {
                    let fix =
                        "mahimahi has packets, bytes, target, interval, qdelay_ref and max_burst";
                    return Err(refused(pair, fix));
                }
            }
        }
        let bounded = ["droptail", "drophead"].contains(&word);
        if bounded && !fields.contains_key("buffer") {
            return Err(refused(
                word,
                "write its size: --uplink-queue-args=packets=100",
            ));
        }
        fields.insert("queue".into(), Value::Object(queue));
        Ok(fields)
    }
}

fn refused(word: &str, fix: &str) -> Fault {
    Fault::refused(format!("`{word}` is no queue of a link"), "link", fix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mahimahis_words_become_fields_of_a_port() {
        let queue = |kind: &str, arguments: &str| Queue {
            kind: Some(kind.to_owned()),
            arguments: (!arguments.is_empty()).then(|| arguments.to_owned()),
        };
        let fields = |kind, arguments| Value::Object(queue(kind, arguments).fields().expect(kind));
        assert_eq!(
            fields("infinite", ""),
            json!({"queue": {"kind": "infinite"}})
        );
        assert_eq!(
            fields("droptail", "packets=100"),
            json!({"buffer": "100 packets", "queue": {"kind": "fifo"}})
        );
        assert_eq!(
            fields("codel", "bytes=9000,target=5,interval=100"),
            json!({"buffer": "9000 B", "queue": {"kind": "codel-mahimahi", "target": "5 ms", "interval": "100 ms"}})
        );
        assert!(queue("droptail", "").fields().is_err());
        assert!(queue("codel", "speed=3").fields().is_err());
    }
}
