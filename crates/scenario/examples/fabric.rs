use backwater_scenario::{Folders, Scenario};
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let r = Scenario::from_toml(text, &path, Folders::default())
        .unwrap()
        .resolve(None)
        .unwrap();
    let t = std::time::Instant::now();
    let mut w = r.build().unwrap();
    println!("built in {:?}", t.elapsed());
    let t = std::time::Instant::now();
    w.advance(w.end());
    let e = t.elapsed().as_nanos() as f64;
    let (ev, hops) = (w.events, w.packet_hops);
    let rep = w.report();
    println!(
        "{} hops, {} events, {:.1} ns/hop, dropped {} of {} control {}",
        hops,
        ev,
        e / hops as f64,
        rep.dropped,
        rep.entered,
        rep.control
    );
}
