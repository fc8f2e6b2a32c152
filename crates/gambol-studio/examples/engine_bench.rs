//! How fast the engine answers while a slider moves: `engine_bench CREATURE [SECONDS]` prints the best times of whole
//! messages in ms, as JSON: a stiffness slider to modes, names and swings (`body`), a speed slider to a new clip of each
//! gait that suits (`motion`), and a slider of one mode (`edit`).

use std::error::Error;
use std::time::Instant;

use gambol_studio::protocol::{CreatureWork, Message};
use gambol_studio::{Engine, MemoryShelf};
use serde_json::{Map, Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("usage: engine_bench CREATURE [SECONDS]")?;
    let seconds: f64 = arguments.next().map_or(Ok(2.0), |text| text.parse())?;
    let creature = json!({ "source": { "from": "gallery", "name": name } });
    let start: CreatureWork = serde_json::from_value(creature.clone())?;
    let mut engine = Engine::new(Box::new(MemoryShelf::default()), start);
    let mut ask = |request: Value| -> Result<(f64, Value), Box<dyn Error>> {
        let mut request = request;
        request["id"] = json!(1);
        let sent = Message { head: request.to_string(), bytes: Vec::new() }.to_bytes();
        let clock = Instant::now();
        let reply = engine.answer(&Message::from_bytes(&sent)?).to_bytes();
        let millis = clock.elapsed().as_secs_f64() * 1e3;
        let reply: Value = serde_json::from_str(&Message::from_bytes(&reply)?.head)?;
        match reply["error"].as_str() {
            Some(error) => Err(error.into()),
            None => Ok((millis, reply["answer"].clone())),
        }
    };

    let mut tick = 0.0;
    let mut slider = || {
        tick += 1e-3;
        1.0 + tick
    };
    let clock = Instant::now();
    let mut body = f64::INFINITY;
    while clock.elapsed().as_secs_f64() < seconds {
        let style = json!({ "scale": [[".*", slider()]] });
        let request =
            json!({ "ask": "body", "creature": creature, "style": style, "from": {}, "marks": [6, 7, 8] });
        body = body.min(ask(request)?.0);
    }
    let (_, gaits) = ask(json!({ "ask": "gaits", "creature": creature, "style": {} }))?;
    let mut motions = Map::new();
    for gait in gaits["gaits"].as_array().into_iter().flatten().filter(|gait| gait["suits"] == true) {
        let name = gait["name"].as_str().unwrap_or_default();
        let style = if gait["style"].is_null() { json!({}) } else { gait["style"].clone() };
        let play =
            |gait: Value| json!({ "ask": "motion", "creature": creature, "style": style, "gait": gait });
        let mut speed = ask(play(json!({ "name": name })))?.1["report"]["speed"].as_f64().unwrap_or(0.0);
        let (mut motion, mut edit) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..5 {
            speed *= 0.99;
            // A wish of speed 0 is one too; what does not travel has none.
            let wish =
                if speed > 0.0 { json!({ "name": name, "speed": speed }) } else { json!({ "name": name }) };
            motion = motion.min(ask(play(wish.clone()))?.0);
            let mut changed = wish;
            changed["edits"] = json!([{ "mode": 7, "amplitude": 0.01 * slider() }]);
            edit = edit.min(ask(play(changed))?.0);
        }
        motions.insert(name.to_owned(), json!({ "motion": motion, "edit": edit }));
    }
    println!("{}", json!({ "creature": name, "body": body, "gaits": motions }));
    Ok(())
}
