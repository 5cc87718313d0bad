//! Scenarios of every part of every table: a medium, some flows, queues, boxes and mechanisms, with options anywhere
//! between their bounds.

#[path = "aggregates.rs"]
mod aggregates;
#[path = "fabrics.rs"]
mod fabrics;

use backwater_scenario::{Folders, Resolved, Scenario};
use serde_json::{Map, Value, json};

use super::dice::Dice;

/// How often a network is drawn whose first flow is refused.
const NETWORKS: usize = 6;
/// How often a row is drawn.
const ROWS: usize = 8;

/// The rows of the tables.
pub struct Tables(Value);

/// A network under construction.
struct Network {
    scenario: Map<String, Value>,
    /// Hosts and stations, which send and receive.
    ends: Vec<String>,
    /// Ports that settings may name.
    ports: Vec<String>,
    /// A pattern of nodes at which mechanisms may be.
    watched: Option<String>,
    stations: bool,
}

impl Network {
    fn put(&mut self, table: &str, name: &str, value: Value) {
        let table = self.scenario.entry(table).or_insert_with(|| json!({}));
        table[name] = value;
    }

    /// Adds a row. Where it is checked it is drawn until the scenario is accepted with it, a few times at most, and else left out.
    fn add(
        &mut self,
        dice: &mut Dice<'_>,
        checked: bool,
        table: &str,
        name: &str,
        draw: impl Fn(&mut Dice<'_>, &Network) -> Value,
    ) -> bool {
        let before = self.scenario.get(table).cloned();
        for _ in 0..ROWS {
            let row = draw(dice, self);
            self.put(table, name, row);
            if !checked || self.is_accepted() {
                return true;
            }
        }
        // The first flow stays: a scenario has one.
        match before {
            Some(rows) => self.scenario.insert(table.into(), rows),
            None if table == "flows" => None,
            None => self.scenario.remove(table),
        };
        false
    }

    fn resolved(&self) -> Option<Resolved> {
        let text = Value::Object(self.scenario.clone()).to_string();
        let read = Scenario::from_json(text, "world.json", Folders::default());
        read.and_then(|s| s.resolve(None)).ok()
    }

    fn is_accepted(&self) -> bool {
        self.resolved().is_some_and(|r| r.build().is_ok())
    }
}

impl Tables {
    /// Those of this engine.
    pub fn new() -> Tables {
        Tables(backwater_scenario::parts_json())
    }

    fn rows(&self, kind: &str) -> &[Value] {
        self.0[kind].as_array().map_or(&[], Vec::as_slice)
    }

    /// A scenario. One in eight is as it was drawn, and most of those are refused. Of the others each row is drawn again until the
    /// scenario is accepted with it.
    pub fn scenario(&self, dice: &mut Dice<'_>) -> Value {
        let checked = !dice.once_in(8);
        let mut net = self.network(dice);
        for _ in 0..NETWORKS {
            let flow = |dice: &mut Dice<'_>, net: &Network| self.flow(dice, net);
            if net.add(dice, checked, "flows", "f0", flow) {
                break;
            }
            net = self.network(dice);
        }
        for at in 0..dice.below(4) {
            if net.stations && dice.once_in(2) {
                continue;
            }
            let which = dice.below(net.ports.len() + 1);
            let port = net.ports.get(which).cloned().unwrap_or("*".into());
            if at == 0 || port != "*" {
                net.add(dice, checked, "ports", &port, |dice, _| self.port(dice));
            }
        }
        if let Some(watched) = net.watched.clone().filter(|_| dice.once_in(2)) {
            let draw = |dice: &mut Dice<'_>, _: &Network| self.mechanism(dice, &watched);
            net.add(dice, checked, "mechanisms", "m", draw);
        }
        for number in 1..1 + dice.below(5) {
            let flow = |dice: &mut Dice<'_>, net: &Network| self.flow(dice, net);
            net.add(dice, checked, "flows", &format!("f{number}"), flow);
        }
        if !net.stations && dice.once_in(3) {
            net.add(dice, checked, "events", "e", |dice, _| event(dice));
        }
        Value::Object(net.scenario)
    }

    /// A network without flows.
    fn network(&self, dice: &mut Dice<'_>) -> Network {
        let mut net = Network {
            scenario: Map::new(),
            ends: Vec::new(),
            ports: Vec::new(),
            watched: None,
            stations: false,
        };
        let ms = *dice.of(&[5, 20, 50, 200, 1000]);
        let warm = *dice.of(&[0, 0, ms / 10, ms / 2, ms - 1]);
        net.scenario
            .insert("schema".into(), json!("backwater/scenario/1"));
        net.scenario.insert("seed".into(), json!(dice.below(1000)));
        net.scenario
            .insert("duration".into(), json!(format!("{ms} ms")));
        net.scenario
            .insert("warmup".into(), json!(format!("{warm} ms")));
        // The report counts every opportunity of a trace, used or not: a world stays a matter of milliseconds.
        net.scenario
            .insert("limits".into(), json!({"packets": 3_000_000}));
        match dice.below(12) {
            9.. => self.generated(dice, &mut net),
            8 => self.satellite(dice, &mut net),
            0..3 => self.wires(dice, &mut net),
            3 | 4 => self.traces(dice, &mut net),
            5 | 6 => self.air(dice, &mut net),
            _ => self.gateway(dice, &mut net),
        }
        net
    }

    /// Hosts around a line of switches.
    fn wires(&self, dice: &mut Dice<'_>, net: &mut Network) {
        let (switches, hosts) = (dice.below(4), 2 + dice.below(4));
        for s in 0..switches {
            let shared = json!({"kind": "switch", "model": "shared-memory", "memory": "200 kB", "reserve": "1 kB", "headroom": "3 kB", "shift": dice.below(3)});
            let plain = json!({"kind": "switch"});
            let discipline = *dice.of(&["virtual-output-queues", "single-queue"]);
            let queued = json!({"kind": "switch", "model": "input-queued", "discipline": discipline, "cell": *dice.of(&["64 B", "1538 B"]), "speedup": 1 + dice.below(2)});
            let switch = match dice.below(6) {
                0 | 1 => shared,
                2 => queued,
                _ => plain,
            };
            net.put("nodes", &format!("W{s}"), switch);
            net.watched = Some("W*".into());
            if s > 0 {
                self.wire(dice, net, &format!("W{}", s - 1), &format!("W{s}"));
            }
        }
        let hosts = if switches == 0 { 2 } else { hosts };
        for h in 0..hosts {
            let name = format!("H{h}");
            net.put(
                "nodes",
                &name,
                json!({"kind": "host", "obeys": !dice.once_in(6)}),
            );
            if switches > 0 {
                let at = format!("W{}", dice.below(switches));
                self.wire(dice, net, &name, &at);
            }
            net.ends.push(name);
        }
        if switches == 0 {
            self.wire(dice, net, "H0", "H1");
        }
    }

    fn wire(&self, dice: &mut Dice<'_>, net: &mut Network, a: &str, b: &str) {
        let rate = *dice.of(&[
            "100 kbit/s",
            "1 Mbit/s",
            "10 Mbit/s",
            "100 Mbit/s",
            "1 Gbit/s",
            "10 Gbit/s",
        ]);
        let delay = *dice.of(&["0 s", "1 us", "100 us", "5 ms", "30 ms"]);
        let mut link = json!({"ends": [a, b], "rate": rate, "delay": delay});
        if dice.once_in(5) {
            link["boxes"] = self.boxes(dice);
        }
        if dice.once_in(6) {
            link["max_frame"] = json!("9018 B");
        }
        net.put("links", &format!("{a}{b}"), link);
        net.ports.push(format!("{a}>{b}"));
        net.ports.push(format!("{b}>{a}"));
    }

    fn boxes(&self, dice: &mut Dice<'_>) -> Value {
        (0..1 + dice.below(2))
            .map(|_| self.part(dice, "boxes", |_| true))
            .collect()
    }

    /// Two hosts, a trace link for each way or a wire back.
    fn traces(&self, dice: &mut Dice<'_>, net: &mut Network) {
        for host in ["H0", "H1"] {
            net.put("nodes", host, json!({"kind": "host"}));
            net.ends.push(host.into());
        }
        for (name, from, to) in [("down", "H0", "H1"), ("up", "H1", "H0")] {
            let trace = self.part(dice, "traces", |id| !["file", "cellreplay"].contains(&id));
            let mut link = json!({"from": from, "to": to, "kind": "trace", "trace": trace});
            let Some(row) = self.rows("media").iter().find(|r| r["id"] == "trace") else {
                continue;
            };
            for option in row["options"].as_array().into_iter().flatten() {
                let name = option["name"].as_str().unwrap_or_default();
                if [
                    "emulator",
                    "first",
                    "clock",
                    "delay",
                    "overhead",
                    "opportunity",
                ]
                .contains(&name)
                    && dice.once_in(2)
                {
                    link[name] = value(dice, option);
                }
            }
            if dice.once_in(2) {
                link["queue"] = self.part(dice, "queues", |id| id != "python");
            }
            if dice.once_in(2) {
                link["buffer"] = buffer(dice);
            }
            if dice.once_in(4) {
                link["boxes"] = self.boxes(dice);
            }
            net.put("links", name, link);
        }
    }

    /// Terminals that share slots on their way to a hub, with a server behind it.
    fn satellite(&self, dice: &mut Dice<'_>, net: &mut Network) {
        self.slots(dice, net);
        net.put("nodes", "G", json!({"kind": "switch"}));
        net.put("nodes", "D", json!({"kind": "host"}));
        self.wire(dice, net, "G", "D");
        net.ends.push("D".into());
        for number in 0..1 + dice.below(3) {
            let name = format!("T{number}");
            let delay = *dice.of(&["0 s", "1 ms", "30 ms"]);
            let up = json!({
                "kind": "tdma", "from": name, "to": "G", "medium": "sat", "delay": delay,
                "constant": dice.below(3), "demand": *dice.of(&["none", "rate", "volume", "volume"]),
                "overhead": *dice.of(&["0 B", "36 B"]),
            });
            let down = json!({"from": "G", "to": name, "rate": "2 Mbit/s", "delay": delay});
            net.put("links", &format!("up{number}"), up);
            net.put("links", &format!("down{number}"), down);
            net.ports.push(format!("{name}>G"));
            net.ports.push(format!("G>{name}"));
            match dice.once_in(2) {
                true => {
                    net.put("nodes", &name, json!({"kind": "host"}));
                    net.ends.push(name);
                }
                false => {
                    let user = format!("H{number}");
                    net.put("nodes", &name, json!({"kind": "switch"}));
                    net.put("nodes", &user, json!({"kind": "host"}));
                    self.wire(dice, net, &user, &name);
                    net.ends.push(user);
                }
            }
        }
    }

    /// The medium "sat" of slots.
    fn slots(&self, dice: &mut Dice<'_>, net: &mut Network) {
        let mut medium = json!({"kind": "tdma", "slots": 1 + dice.below(12)});
        medium["frame"] = json!(*dice.of(&["200 us", "1 ms", "7 ms", "26500 us"]));
        medium["slot"] = json!(*dice.of(&["1 B", "53 B", "400 B", "1500 B", "9 kB"]));
        let row = self.rows("media").iter().find(|r| r["id"] == "tdma");
        let options = row.and_then(|row| row["options"].as_array());
        for option in options.into_iter().flatten() {
            let name = option["name"].as_str().unwrap_or_default();
            if ["request_delay", "free"].contains(&name) && dice.once_in(2) {
                medium[name] = value(dice, option);
            }
        }
        net.put("media", "sat", medium);
    }

    /// 802.11 stations on a line or scattered.
    fn air(&self, dice: &mut Dice<'_>, net: &mut Network) {
        self.radio(dice, net);
        net.watched = Some("S*".into());
        let queues = aggregates::queues(dice, &net.scenario["media"]["air"]);
        if let Some(queues) = &queues {
            net.put("ports", "*>air", queues.clone());
        }
        for s in 0..2 + dice.below(5) {
            let name = format!("S{s}");
            let (x, y) = match dice.once_in(2) {
                true => (80 * s, 0),
                false => (dice.below(200), dice.below(120)),
            };
            let mut place = json!({"kind": "station", "medium": "air", "at": [format!("{x} m"), format!("{y} m")], "buffer": buffer(dice)});
            let medium = &net.scenario["media"]["air"];
            aggregates::station(dice, medium, queues.is_some(), &mut place);
            net.put("nodes", &name, place);
            net.ends.push(name);
        }
    }

    /// The medium "air" of 802.11.
    fn radio(&self, dice: &mut Dice<'_>, net: &mut Network) {
        net.stations = true;
        let standard = *dice.of(&["802.11b", "802.11a", "802.11g"]);
        let (data, control) = match standard {
            "802.11b" => (*dice.of(&["1 Mbit/s", "2 Mbit/s", "11 Mbit/s"]), "1 Mbit/s"),
            _ => (
                *dice.of(&["6 Mbit/s", "24 Mbit/s", "54 Mbit/s"]),
                "6 Mbit/s",
            ),
        };
        let mut mac = json!({});
        for (name, words) in [
            ("access", ["dcf", "edca", "edca"]),
            ("rts", ["off", "off", "on"]),
            ("after_collision", ["timeout", "difs", "eifs"]),
            ("countdown", ["standard", "idle-slot", "boundary"]),
        ] {
            if dice.once_in(2) {
                mac[name] = json!(*dice.of(&words));
            }
        }
        if dice.once_in(3) {
            mac["nav_reset"] = json!(false);
            mac["lifetime"] = json!("50 ms");
            if mac["access"] != json!("dcf") {
                mac["txop"] = json!("standard");
                mac["nav"] = json!("txop");
            }
        }
        if dice.once_in(3) {
            mac["retry_short"] = json!(dice.below(8));
        }
        let channel = match dice.below(3) {
            0 => json!({"model": "physical"}),
            1 => {
                json!({"model": "disc", "transmit": "100 m", "sense": "190 m", "capture": "10 dB"})
            }
            _ => json!({"model": "disc", "transmit": "100 m", "sense": "100 m"}),
        };
        let mut medium = json!({"phy": {"standard": standard, "data": data, "control": control}, "mac": mac, "channel": channel});
        if dice.once_in(2) {
            aggregates::modern(dice, &mut medium);
        }
        net.put("media", "air", medium);
        net.scenario
            .insert("routing".into(), json!({"kind": "airtime"}));
    }

    /// Stations with an access point that has a wire.
    fn gateway(&self, dice: &mut Dice<'_>, net: &mut Network) {
        self.air(dice, net);
        net.put("nodes", "H0", json!({"kind": "host"}));
        self.wire(dice, net, "S0", "H0");
        net.ends.push("H0".into());
    }

    fn port(&self, dice: &mut Dice<'_>) -> Value {
        let mut settings = json!({});
        if !dice.once_in(3) {
            settings["queue"] = self.part(dice, "queues", |id| id != "python");
        }
        if !dice.once_in(4) {
            settings["buffer"] = buffer(dice);
        }
        if dice.once_in(3) {
            settings["stamp"] = self.part(dice, "stamps", |id| id != "python");
        }
        if dice.once_in(5) {
            settings["trim"] = json!(1 + dice.below(7));
        }
        if dice.once_in(8) {
            let action = *dice.of(&["drop", "forward"]);
            settings["watchdog"] =
                json!({"detection": "2 ms", "restoration": "1 ms", "action": action});
        }
        settings
    }

    /// A recipe, with options of its sections here and there.
    fn mechanism(&self, dice: &mut Dice<'_>, watched: &str) -> Value {
        let recipe = dice.of(self.rows("mechanisms"));
        let mut mechanism = json!({"recipe": recipe["id"], "at": [watched]});
        for option in recipe["options"].as_array().into_iter().flatten() {
            let name = option["name"].as_str().unwrap_or_default();
            let Some((section, name)) = name.split_once('.') else {
                continue;
            };
            if dice.once_in(4) && !unusable(option) {
                let section = mechanism.as_object_mut().expect("a table").entry(section);
                section.or_insert_with(|| json!({}))[name] = value(dice, option);
            }
        }
        mechanism
    }

    fn flow(&self, dice: &mut Dice<'_>, net: &Network) -> Value {
        let from = dice.below(net.ends.len());
        let to = (from + 1 + dice.below(net.ends.len() - 1)) % net.ends.len();
        let mut flow = json!({"from": net.ends[from], "to": net.ends[to]});
        match dice.below(3) {
            0 => {
                let transport = *dice.of(&["tcp", "tcp", "datagram", "roce", "irn"]);
                self.transport(dice, net, transport, &mut flow);
                flow["source"] = match dice.below(4) {
                    0 => json!({"kind": "bulk", "size": *dice.of(&["300 B", "20 kB", "1 MB"])}),
                    1 | 2 => json!({"kind": "bulk"}),
                    _ => self.source(dice),
                };
                if flow["source"].get("size").is_some() && dice.once_in(2) {
                    fabrics::after(dice, net, &mut flow);
                }
                if dice.once_in(4) {
                    self.pattern(dice, net, &mut flow);
                }
            }
            _ => {
                flow["source"] = self.source(dice);
                if dice.once_in(4) {
                    flow["ecn"] = json!(*dice.of(&["ect0", "ect1"]));
                }
                if net.stations && dice.once_in(4) {
                    flow["budget"] = json!(*dice.of(&["1 ms", "20 ms"]));
                }
                if net.ends[from].starts_with('S') && dice.once_in(4) {
                    flow["to"] = json!("*");
                    flow["pattern"] = json!("group");
                }
            }
        }
        if dice.once_in(4) {
            flow["packet"] = json!(*dice.of(&["80 B", "200 B", "576 B", "1400 B"]));
        }
        if dice.once_in(3) {
            match net.stations {
                true => flow["ac"] = json!(*dice.of(&["BK", "BE", "VI", "VO"])),
                false => flow["class"] = json!(dice.below(8)),
            }
        }
        if dice.once_in(4) {
            flow["start"] = json!(*dice.of(&["1 ms", "3 ms", "40 ms"]));
        }
        if dice.once_in(5) {
            flow["stop"] = json!(*dice.of(&["45 ms", "120 ms"]));
        }
        flow
    }

    /// A transport, and words of its options. Controllers of RDMA go with queue pairs only.
    fn transport(&self, dice: &mut Dice<'_>, net: &Network, transport: &str, flow: &mut Value) {
        let pair = transport == "roce" || transport == "irn";
        flow["transport"] = json!(transport);
        let fits: fn(&str) -> bool = match pair {
            true => |id| !["python", "wasm", "agent", "outside"].contains(&id),
            false => |id| {
                let of_pairs = [
                    "qcn", "dcqcn", "hpcc", "timely", "powertcp", "swift", "nscc",
                ]
                .contains(&id);
                !["python", "wasm", "agent", "outside"].contains(&id) && !of_pairs
            },
        };
        flow["controller"] = self.part(dice, "controllers", fits);
        let words: &[(&str, [&str; 3])] = match transport {
            "tcp" => &[
                ("recovery", ["rack", "sack", "newreno"]),
                ("marks", ["classic", "accurate", "ace"]),
                ("delayed_ack", ["0 s", "1 ms", "40 ms"]),
            ],
            "roce" => &[
                ("recovery", ["go-back-n", "go-back-n", "go-back-0"]),
                ("nack_interval", ["10 us", "100 us", "1 ms"]),
                ("cnp", ["at-once", "sampled", "off"]),
                ("cnp_gate", ["port", "port", "queue-pair"]),
                ("timeout", ["1 ms", "5 ms", "0 s"]),
            ],
            "irn" => &[
                ("cnp", ["at-once", "sampled", "off"]),
                ("cnp_gate", ["port", "port", "queue-pair"]),
                ("timeout", ["1 ms", "5 ms", "20 ms"]),
                ("cap", ["10 kB", "50 kB", "1 MB"]),
                ("sacked", ["counted", "counted", "left-out"]),
                ("gaps", ["losses", "other-ways", "other-ways"]),
            ],
            _ => &[],
        };
        for (name, words) in words {
            if dice.once_in(3) {
                flow[*name] = json!(*dice.of(words));
            }
        }
        if transport == "irn" && dice.once_in(2) {
            flow["pull"] = json!(*dice.of(&["64 B", "1500 B", "16384 B", "1 MB"]));
            flow["speculate"] = json!(*dice.of(&["1 kB", "20 kB", "262926 B"]));
        }
        if dice.once_in(4) {
            flow["spread"] = self.part(dice, "spreaders", |_| true);
        }
        if net.stations {
            // No card pulls for a station.
            if pair {
                flow["nic"] = json!("push");
            }
        } else if dice.once_in(3) {
            flow["nic"] = json!(*dice.of(&["push", "pull"]));
        }
    }

    fn source(&self, dice: &mut Dice<'_>) -> Value {
        self.part(dice, "sources", |id| {
            !["outside", "replay", "video-trace", "collective"].contains(&id)
        })
    }

    /// A part with the options it needs and some of the others.
    fn part(&self, dice: &mut Dice<'_>, table: &str, usable: impl Fn(&str) -> bool) -> Value {
        let rows: Vec<&Value> = self
            .rows(table)
            .iter()
            .filter(|r| usable(r["id"].as_str().unwrap_or_default()))
            .collect();
        let row = *dice.of(&rows);
        let mut part = json!({"kind": row["id"]});
        if row["id"] == "request-response" {
            part["size"] = json!(*dice.of(&["300 B", "20 kB"]));
        }
        for option in row["options"].as_array().into_iter().flatten() {
            if option["required"] == true || dice.once_in(10) && !unusable(option) {
                let name = option["name"].as_str().unwrap_or_default();
                part[name] = value(dice, option);
            }
        }
        // A change of delay has an instant and a new delay.
        if table == "boxes" && part["kind"] == "delay" {
            let part = part.as_object_mut().expect("a table");
            part.retain(|name, _| name == "kind" || name == "delay");
        }
        part
    }
}

/// A value that the option takes and no random text is.
fn unusable(option: &Value) -> bool {
    matches!(
        option["type"].as_str(),
        Some("file" | "name" | "table" | "list")
    )
}

fn buffer(dice: &mut Dice<'_>) -> Value {
    json!(*dice.of(&[
        "2 packets",
        "20 packets",
        "100 packets",
        "10 kB",
        "64 kB",
        "1 MB",
        "unlimited"
    ]))
}

/// A value of an option: its default, a bound, or something usual between the bounds.
fn value(dice: &mut Dice<'_>, option: &Value) -> Value {
    let written = |key: &str| option[key].as_str().map(|text| typed(option, text));
    match dice.below(8) {
        0 => {
            if let Some(value) = written("default_written") {
                return value;
            }
        }
        1 => {
            if let Some(value) = written("min_written") {
                return value;
            }
        }
        2 => {
            if let Some(value) = written("max_written").filter(|_| dice.once_in(8)) {
                return value;
            }
        }
        _ => {}
    }
    usual(dice, option)
}

/// Wires that go down or have another rate.
fn event(dice: &mut Dice<'_>) -> Value {
    let at = dice.below(900);
    let links = *dice.of(&["*", "*0*", "*1*"]);
    let mut event = json!({"links": [links], "at": format!("{at} ms")});
    let fields = event.as_object_mut().expect("a table");
    if dice.once_in(2) {
        let until = at + dice.below(300);
        fields.insert("until".into(), json!(format!("{until} ms")));
    }
    if dice.once_in(3) {
        fields.insert("kind".into(), json!("rate"));
        fields.insert("rate".into(), json!("3 Mbit/s"));
    } else if dice.once_in(3) {
        fields.insert("kind".into(), json!("storm"));
        if dice.once_in(2) {
            fields.insert("class".into(), json!(dice.below(8)));
        }
    } else {
        fields.insert("kind".into(), json!("down"));
        if dice.once_in(2) {
            let converge = format!("{} ms", dice.below(50));
            fields.insert("converge".into(), json!(converge));
        }
    }
    event
}

/// A bound as JSON writes it: plain numbers without quotes.
fn typed(option: &Value, text: &str) -> Value {
    match option["type"].as_str() {
        Some("integer" | "number" | "boolean") => serde_json::from_str(text).unwrap_or(json!(text)),
        _ => json!(text),
    }
}

fn usual(dice: &mut Dice<'_>, option: &Value) -> Value {
    let name = option["name"].as_str().unwrap_or_default();
    let bound = |key: &str, other: f64| option[key].as_f64().unwrap_or(other);
    let (min, max) = (bound("min", 0.0), bound("max", f64::INFINITY));
    let mantissa = 1.0 + dice.below(90) as f64 / 10.0;
    let log = |dice: &mut Dice<'_>, least: i32, decades: usize| {
        let x = mantissa * libm::pow(10.0, f64::from(least + dice.below(decades) as i32));
        x.clamp(min, max)
    };
    match option["type"].as_str().unwrap_or_default() {
        "time" => json!(format!("{} ns", libm::round(log(dice, -3, 3) * 1e9))),
        "rate" if name == "step" => json!(format!("{} kbit/s", 10 + dice.below(200))),
        "rate" => json!(format!("{} kbit/s", libm::ceil(log(dice, 6, 2) / 1e3))),
        "size" if name == "packet" => json!(format!("{} B", 100 + 14 * dice.below(101))),
        "size" => json!(format!("{} B", log(dice, 3, 2) as u64)),
        "packets" => json!(format!("{} packets", log(dice, 0, 3) as u64)),
        "share" => json!(format!(
            "{} %",
            match name.contains("low") {
                true => dice.below(50),
                false => 50 + dice.below(51),
            }
        )),
        "integer" => json!((log(dice, 0, 2) as u64).max(min as u64)),
        "number" => json!(match max.is_finite() {
            true => min + (max - min) * dice.below(101) as f64 / 100.0,
            false => log(dice, -1, 2),
        }),
        "boolean" => json!(dice.once_in(2)),
        "choice" => option["values"]
            .as_array()
            .map_or(Value::Null, |v| dice.of(v).clone()),
        "length" => json!(format!("{} m", dice.below(300))),
        "ratio" => json!(format!("{} dB", dice.below(30))),
        "power" => json!(format!("-{} dBm", 40 + dice.below(60))),
        // Lists of one part have one length.
        "series" => match name {
            "at_ms" | "at_us" => {
                let step = 1 + dice.below(50);
                json!([0, step, 3 * step])
            }
            "rate_bps" => json!([1_000_000 + dice.below(9_000_000), 0, 5_000_000]),
            "loss_ppm" => json!([0, dice.below(500_000), 0]),
            _ => json!([100 + dice.below(1_300), 700, 1_400]),
        },
        other => panic!("no value for {name} of type {other}"),
    }
}
