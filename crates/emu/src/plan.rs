//! The boxes of a command line: `delay 20 link UP DOWN --uplink-queue=droptail … -- COMMAND`, with mahimahi's words. The first
//! box is the outermost, as nested shells are. All boxes and both directions make one scenario.
//!
//! Consecutive boxes without a queue share a wire of 800 Gbit/s, on which a full frame takes 15 ns; a link is a hop of its own.

use backwater_scenario::percent;
use serde_json::{Map, Value, json};

use crate::fault::Fault;
use crate::queue::Queue;
use crate::words::{Direction, Words, milliseconds, spaced, usage};

/// Name of the node where the command is.
pub const INSIDE: &str = "inside";
/// Name of the node that is the network around the command.
pub const OUTSIDE: &str = "outside";
/// Name of the innermost hop's direction out of the namespace; a number follows.
const UP: &str = "up";
const DOWN: &str = "down";
const WIRE: &str = "800 Gbit/s";
/// No source of these scenarios runs, so their end says nothing; queue management looks at the mean rate of a trace so far.
const DURATION: &str = "3600 s";

/// One direction of a link.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Half {
    /// The file of a trace, or a rate such as `12Mbit/s`.
    pub service: String,
    /// Its queue.
    pub queue: Queue,
    /// Where a log goes.
    pub log: Option<String>,
    /// The file of trains of light traffic.
    pub light: Option<String>,
    /// The timer of trains.
    pub timer: Option<String>,
}

impl Half {
    /// The trace as a scenario has it.
    fn trace(&self) -> Value {
        let Some(light) = &self.light else {
            return json!(self.service);
        };
        let timer = self.timer.as_deref().unwrap_or("0 ms");
        json!({"kind": "cellreplay", "light": light, "heavy": self.service, "timer": timer})
    }
}

/// A box.
#[derive(Clone, Debug, PartialEq)]
pub enum Box {
    /// `delay MS`.
    Delay(String),
    /// `loss uplink|downlink SHARE`.
    Loss(Direction, f64),
    /// `onoff uplink|downlink ON OFF`: mean lengths in seconds.
    OnOff(Direction, f64, f64),
    /// `jitter uplink|downlink MS`: the most.
    Jitter(Direction, String),
    /// `reorder uplink|downlink SHARE MS`.
    Reorder(Direction, f64, String),
    /// `mark uplink|downlink SHARE`.
    Mark(Direction, f64),
    /// `duplicate uplink|downlink SHARE`.
    Duplicate(Direction, f64),
    /// `raw`: packets pass without a model.
    Raw,
    /// `link UP DOWN` with traces, `rate UP DOWN` with rates.
    Link {
        /// Whether the services are traces.
        traces: bool,
        /// Whether traces end.
        once: bool,
        /// Up and down.
        halves: std::boxed::Box<[Half; 2]>,
    },
}

/// A command behind boxes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// From the outermost to the innermost.
    pub boxes: Vec<Box>,
    /// The command; empty for a shell.
    pub command: Vec<String>,
}

/// A log that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogWanted {
    /// Name of the direction in the scenario.
    pub link: String,
    /// Its direction in mahimahi's word.
    pub direction: &'static str,
    /// The boxes around its link, in mahimahi's words.
    pub config: String,
    /// The file.
    pub file: String,
}

impl Plan {
    /// Reads the words behind `backwater emulate` and its own options.
    ///
    /// # Errors
    /// The word that is wrong, and what to write.
    pub fn read(words: &[String]) -> Result<Plan, Fault> {
        let mut boxes = Vec::new();
        let mut words = Words {
            left: words.iter().peekable(),
        };
        while let Some(word) = words.left.next() {
            let word = match word.strip_prefix("mm-").unwrap_or(word) {
                "--" => {
                    let command: Vec<String> = words.left.cloned().collect();
                    return Plan { boxes, command }.checked();
                }
                word => word,
            };
            boxes.push(match word {
                "delay" => Box::Delay(milliseconds(words.need(word, "the delay")?)?),
                "loss" => Box::Loss(words.direction(word)?, words.share(word)?),
                "mark" => Box::Mark(words.direction(word)?, words.share(word)?),
                "duplicate" => Box::Duplicate(words.direction(word)?, words.share(word)?),
                "jitter" => {
                    let direction = words.direction(word)?;
                    Box::Jitter(direction, milliseconds(words.need(word, "the longest delay")?)?)
                }
                "reorder" => {
                    let (direction, share) = (words.direction(word)?, words.share(word)?);
                    let by = milliseconds(words.need(word, "the delay of those held back")?)?;
                    Box::Reorder(direction, share, by)
                }
                "onoff" => Box::OnOff(
                    words.direction(word)?,
                    words.number(word, "the mean length while open")?,
                    words.number(word, "the mean length while shut")?,
                ),
                "raw" => Box::Raw,
                "link" | "rate" => link(word, &mut words)?,
                other => {
                    let what = format!("`{other}` is no box");
                    let fix = "write delay, jitter, loss, onoff, reorder, duplicate, mark, link or rate, and -- before the command";
                    return Err(Fault::refused(what, other, fix));
                }
            });
        }
        Plan {
            boxes,
            command: Vec::new(),
        }
        .checked()
    }

    fn checked(self) -> Result<Plan, Fault> {
        if self.boxes.is_empty() {
            let fix = "write at least one, such as `delay 20 -- COMMAND`";
            return Err(Fault::refused("there is no box", "emulate", fix));
        }
        if self.boxes.len() > 1 && self.boxes.contains(&Box::Raw) {
            let what = "raw forwarding has no other box";
            return Err(Fault::refused(what, "raw", "remove `raw`"));
        }
        Ok(self)
    }

    /// Whether packets pass without a model.
    pub fn is_raw(&self) -> bool {
        self.boxes == [Box::Raw]
    }

    /// The log that is asked for of a direction of a hop.
    fn log(&self, hop: &[&Box], direction: Direction, link: &str) -> Option<LogWanted> {
        let [one @ Box::Link { halves, .. }] = hop else {
            return None;
        };
        let around = self.boxes.iter().take_while(|b| !std::ptr::eq(*b, *one));
        Some(LogWanted {
            link: link.to_owned(),
            direction: match direction {
                Direction::Up => "Uplink",
                Direction::Down => "Downlink",
            },
            config: around.map(Box::described).collect(),
            file: halves[direction as usize].log.clone()?,
        })
    }

    /// The scenario of these boxes, and the logs that are asked for.
    ///
    /// # Errors
    /// A queue that no table has.
    pub fn scenario(&self) -> Result<(Value, Vec<LogWanted>), Fault> {
        let (mut links, mut nodes, mut ports) = (Map::new(), Map::new(), Map::new());
        let mut logs = Vec::new();
        // From the inside outwards, each hop is a link or the boxes up to the next one.
        let mut hops: Vec<Vec<&Box>> = Vec::new();
        for one in self.boxes.iter().rev() {
            let link = |b: &&Box| matches!(b, Box::Link { .. });
            match hops.last_mut() {
                Some(hop) if !link(&one) && !hop.iter().any(link) => hop.push(one),
                _ => hops.push(vec![one]),
            }
        }
        let name = |place: usize| match place {
            0 => INSIDE.to_owned(),
            place if place == hops.len() => OUTSIDE.to_owned(),
            place => format!("between{place}"),
        };
        for (number, hop) in hops.iter().enumerate() {
            let (inner, outer) = (name(number), name(number + 1));
            for direction in [Direction::Up, Direction::Down] {
                let (from, to, word) = match direction {
                    Direction::Up => (&inner, &outer, UP),
                    Direction::Down => (&outer, &inner, DOWN),
                };
                let link = format!("{word}{}", number + 1);
                let mut fields = Map::from_iter([
                    ("from".to_owned(), json!(from)),
                    ("to".to_owned(), json!(to)),
                ]);
                if let Some(port) = fill(&mut fields, hop, direction)? {
                    ports.insert(format!("{from}>{to}"), Value::Object(port));
                }
                logs.extend(self.log(hop, direction, &link));
                links.insert(link, Value::Object(fields));
            }
        }
        for place in 0..=hops.len() {
            let kind = match place {
                place if place == 0 || place == hops.len() => "host",
                _ => "switch",
            };
            nodes.insert(name(place), json!({"kind": kind}));
        }
        let flow = |from, to| json!({"from": from, "to": to, "source": {"kind": "outside"}});
        let scenario = json!({
            "schema": "backwater/scenario/1", "seed": 1, "duration": DURATION,
            "nodes": nodes, "links": links, "ports": ports,
            "flows": {UP: flow(INSIDE, OUTSIDE), DOWN: flow(OUTSIDE, INSIDE)},
        });
        Ok((scenario, logs))
    }
}

impl Box {
    /// As mahimahi's logs name it.
    fn described(&self) -> String {
        let word = |direction: &Direction| match direction {
            Direction::Up => "uplink",
            Direction::Down => "downlink",
        };
        match self {
            Box::Raw => "[raw] ".to_owned(),
            Box::Jitter(direction, most) => format!("[jitter ({}) most={most}] ", word(direction)),
            Box::Reorder(direction, share, by) => {
                format!("[reorder ({}) rate={share}, by={by}] ", word(direction))
            }
            Box::Mark(direction, share) => format!("[mark ({}) rate={share}] ", word(direction)),
            Box::Duplicate(direction, share) => {
                format!("[duplicate ({}) rate={share}] ", word(direction))
            }
            Box::Delay(delay) => format!("[delay {delay}] "),
            Box::Loss(direction, share) => format!("[loss ({}) rate={share}] ", word(direction)),
            Box::OnOff(direction, on, off) => {
                format!(
                    "[onoff ({}) mean-on={on}s, mean-off={off}s] ",
                    word(direction)
                )
            }
            Box::Link { halves, .. } => {
                format!(
                    "[link, up={}, down={}] ",
                    halves[0].service, halves[1].service
                )
            }
        }
    }
}

fn link(word: &str, words: &mut Words<'_>) -> Result<Box, Fault> {
    let mut halves = [Half::default(), Half::default()];
    halves[0].service = words.need(word, "the uplink")?.to_owned();
    halves[1].service = words.need(word, "the downlink")?.to_owned();
    let mut once = false;
    while let Some(option) = words.left.next_if(|w| w.starts_with("--") && w.len() > 2) {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (option.as_str(), None),
        };
        if name == "--once" && value.is_none() {
            once = true;
            continue;
        }
        let (half, field) = if let Some(field) = name.strip_prefix("--uplink-") {
            (&mut halves[0], field)
        } else if let Some(field) = name.strip_prefix("--downlink-") {
            (&mut halves[1], field)
        } else {
            let what = format!("`{name}` is no option of `{word}`");
            return Err(Fault::refused(
                what,
                word,
                format!("write `{word} {}`", usage(word)),
            ));
        };
        let value = match value {
            Some(value) => value,
            None => words.need(word, name)?.to_owned(),
        };
        match field {
            "queue" => half.queue.kind = Some(value),
            "queue-args" => half.queue.arguments = Some(value),
            "log" if word == "link" => half.log = Some(value),
            "light" if word == "link" => half.light = Some(value),
            "light-timer" if word == "link" => half.timer = Some(milliseconds(&value)?),
            _ => {
                let what = format!("`{name}` is no option of `{word}`");
                return Err(Fault::refused(
                    what,
                    word,
                    format!("write `{word} {}`", usage(word)),
                ));
            }
        }
    }
    if halves
        .iter()
        .any(|half| half.timer.is_some() && half.light.is_none())
    {
        let fix = "write --uplink-light=FILE or --downlink-light=FILE, too, or leave the timer out";
        return Err(Fault::refused("a timer of trains has no trains", word, fix));
    }
    Ok(Box::Link {
        traces: word == "link",
        once,
        halves: std::boxed::Box::new(halves),
    })
}

/// Fills in what a direction of a hop is; gives the settings of its port, where it has a rate.
fn fill(
    fields: &mut Map<String, Value>,
    hop: &[&Box],
    direction: Direction,
) -> Result<Option<Map<String, Value>>, Fault> {
    if let [
        Box::Link {
            traces,
            once,
            halves,
        },
    ] = hop
    {
        let half = &halves[direction as usize];
        let queue = half.queue.fields()?;
        if !traces {
            fields.insert("rate".into(), json!(spaced(&half.service)));
            fields.insert("delay".into(), json!("0 s"));
            return Ok(Some(queue));
        }
        fields.extend(queue);
        fields.insert("kind".into(), json!("trace"));
        fields.insert("trace".into(), half.trace());
        fields.insert("repeat".into(), json!(!once));
        return Ok(None);
    }
    let mine = |b: &&Box| match b {
        Box::Delay(delay) => Some(json!({"kind": "delay", "delay": delay})),
        Box::Loss(of, share) if *of == direction => {
            Some(json!({"kind": "loss", "share": percent(*share)}))
        }
        Box::Jitter(of, most) if *of == direction => Some(json!({"kind": "jitter", "most": most})),
        Box::Reorder(of, share, by) if *of == direction => {
            Some(json!({"kind": "reorder", "share": percent(*share), "by": by}))
        }
        Box::Mark(of, share) if *of == direction => {
            Some(json!({"kind": "mark", "share": percent(*share)}))
        }
        Box::Duplicate(of, share) if *of == direction => {
            Some(json!({"kind": "duplicate", "share": percent(*share)}))
        }
        Box::OnOff(of, on, off) if *of == direction => {
            Some(json!({"kind": "on-off", "on": format!("{on} s"), "off": format!("{off} s")}))
        }
        _ => None,
    };
    // A hop lists its boxes from the inside; packets from outside pass them the other way round.
    let boxes: Vec<Value> = match direction {
        Direction::Up => hop.iter().filter_map(mine).collect(),
        Direction::Down => hop.iter().rev().filter_map(mine).collect(),
    };
    fields.insert("rate".into(), json!(WIRE));
    fields.insert("delay".into(), json!("0 s"));
    fields.insert("boxes".into(), Value::Array(boxes));
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(words: &str) -> Result<Plan, Fault> {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        Plan::read(&words)
    }

    #[test]
    fn the_first_box_is_the_outermost_one() {
        let (scenario, logs) =
            plan("delay 20 loss uplink 0.56 link a b --once --uplink-log=l -- c d")
                .expect("legal words")
                .scenario()
                .expect("legal queues");
        let links = &scenario["links"];
        // Out of the namespace: the link, then the loss, then the delay. Into it: the delay, then the link.
        assert_eq!(links["up1"]["trace"], "a");
        assert_eq!(links["up1"]["repeat"], false);
        assert_eq!(links["down1"]["trace"], "b");
        let kinds = |link: &str| -> Vec<&str> {
            let boxes = links[link]["boxes"].as_array().expect("boxes");
            boxes.iter().filter_map(|b| b["kind"].as_str()).collect()
        };
        assert_eq!(kinds("up2"), ["loss", "delay"]);
        assert_eq!(kinds("down2"), ["delay"]);
        assert_eq!(links["up2"]["boxes"][0]["share"], "56 %");
        assert_eq!(links["up2"]["to"], OUTSIDE);
        assert_eq!(logs.len(), 1);
        assert_eq!(
            (logs[0].link.as_str(), logs[0].direction),
            ("up1", "Uplink")
        );
        assert_eq!(logs[0].config, "[delay 20 ms] [loss (uplink) rate=0.56] ");
    }

    #[test]
    fn boxes_of_one_direction_are_in_that_alone() {
        let words =
            "jitter uplink 5 reorder downlink 0.25 7 mark uplink 0.5 duplicate uplink 0.125 -- c";
        let (scenario, _) = plan(words)
            .expect("legal words")
            .scenario()
            .expect("no queues");
        let boxes = |link: &str| scenario["links"][link]["boxes"].clone();
        // A packet from inside meets the innermost box first.
        assert_eq!(
            boxes("up1"),
            json!([{"kind": "duplicate", "share": "12.5 %"}, {"kind": "mark", "share": "50 %"}, {"kind": "jitter", "most": "5 ms"}])
        );
        assert_eq!(
            boxes("down1"),
            json!([{"kind": "reorder", "share": "25 %", "by": "7 ms"}])
        );
    }

    #[test]
    fn a_link_with_trains_replays_two_workloads() {
        let plan =
            plan("link a b --uplink-light=trains --uplink-light-timer=7 -- c").expect("a plan");
        let links = plan.scenario().expect("a scenario").0["links"].clone();
        let trace = json!({"kind": "cellreplay", "light": "trains", "heavy": "a", "timer": "7 ms"});
        assert_eq!(links["up1"]["trace"], trace);
        assert_eq!(links["down1"]["trace"], "b");
    }

    #[test]
    fn a_timer_without_trains_is_refused() {
        let fault = plan("link a b --downlink-light-timer=7 -- c").expect_err("refused");
        assert!(fault.to_string().contains("no trains"), "{fault:?}");
    }

    #[test]
    fn boxes_around_a_link_are_hops_on_both_sides_of_it() {
        let (scenario, _) = plan("delay 5ms rate 10Mbit/s 20Mbit/s --uplink-queue=droptail --uplink-queue-args=packets=9 delay 7")
            .expect("legal words")
            .scenario()
            .expect("legal queues");
        assert_eq!(scenario["links"]["up1"]["boxes"][0]["delay"], "7 ms");
        assert_eq!(scenario["links"]["up2"]["rate"], "10 Mbit/s");
        assert_eq!(scenario["links"]["up3"]["boxes"][0]["delay"], "5 ms");
        assert_eq!(
            scenario["ports"]["between1>between2"]["buffer"],
            "9 packets"
        );
    }

    #[test]
    fn a_wrong_word_is_refused_with_what_to_write() {
        for (words, place) in [
            ("delay", "delay"),
            ("delay -- ls", "delay"),
            ("link a -- ls", "link"),
            ("delay x", "delay"),
            ("loss up 0.1", "loss"),
            ("loss uplink 1.5", "loss"),
            ("onoff uplink 1", "onoff"),
            ("link a", "link"),
            ("link a b --colour=red", "link"),
            ("speed 3", "speed"),
            ("-- ls", "emulate"),
        ] {
            match plan(words) {
                Err(Fault::Refused { place: found, .. }) => assert_eq!(found, place, "{words}"),
                other => panic!("{words}: {other:?}"),
            }
        }
    }
}
