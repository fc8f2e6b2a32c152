//! A session with the engine that asks all there is to ask, at least once each: for the
//! engine in WebAssembly (`cargo xtask wasm`).

use std::error::Error;
use std::time::Instant;

use gambol::formats::gltf::samples::{Awkward, quadruped};
use gambol::gait::Style;
use gambol_studio::protocol::{CreatureWork, GaitWork, Message, Source};
use gambol_studio::{Engine, MemoryShelf};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A leg that swings, as small as a recording can be.
const RECORDING: &str = "HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\
    JOINT thigh\n{\nOFFSET 10 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT shin\n{\nOFFSET 0 -45 0\n\
    CHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 -45 0\n}\n}\n}\n}\nMOTION\nFrames: 3\nFrame Time: 0.1\n\
    0 90 0 0 0 0 0 10 0 0 -20 0\n0 91 5 0 0 0 0 20 0 0 -30 0\n0 90 10 0 0 0 0 5 0 0 -10 0\n";

/// A twig with a fork, as small as a plant can be.
const TWIG: &str = "id,parent,edge,x,y,z,radius\n0,,,0,0,0,0.01\n1,0,<,0,0,0.4,0.008\n2,1,<,0.05,0,0.8,0.005\n3,1,+,0.2,0.1,0.6,0.004\n";

/// A search of so many simulated cycles is as long as most that are waited for.
const CYCLES: u64 = 2000;

/// A message, its answer, and how long that took, ms.
pub(crate) type Heard = (Message, Message, f64);

/// All messages and their answers, in order. Every message has one.
pub(crate) fn session() -> Result<Vec<Heard>, Box<dyn Error>> {
    let start = CreatureWork::new(Source::Gallery { name: "dog".to_owned() });
    let engine = Engine::new(Box::new(MemoryShelf::default()), start);
    let mut session = Session { engine, heard: Vec::new() };
    session.body_and_motion()?;
    session.simulation()?;
    session.search()?;
    session.plants()?;
    session.files()?;
    Ok(session.heard)
}

struct Session {
    engine: Engine,
    heard: Vec<Heard>,
}

impl Session {
    /// The answer; there must be one.
    fn ask(&mut self, request: Value) -> Result<Value, Box<dyn Error>> {
        self.ask_with(request, &[])
    }

    fn ask_with(&mut self, mut request: Value, bytes: &[u8]) -> Result<Value, Box<dyn Error>> {
        request["id"] = json!(self.heard.len());
        let sent = Message { head: request.to_string(), bytes: bytes.to_vec() };
        let clock = Instant::now();
        let reply = self.engine.answer(&sent);
        let millis = 1e3 * clock.elapsed().as_secs_f64();
        let head: Value = serde_json::from_str(&reply.head)?;
        self.heard.push((sent, reply, millis));
        match head["error"].as_str() {
            Some(error) => Err(format!("{}: {error}", request["ask"]).into()),
            None => Ok(head["answer"].clone()),
        }
    }

    /// Drops a file; the creature that it is.
    fn drop_file(&mut self, name: &str, bytes: &[u8]) -> Result<Value, Box<dyn Error>> {
        let files = json!([{ "name": name, "size": bytes.len() }]);
        let kept = self.ask_with(json!({ "ask": "keep", "files": files }), bytes)?;
        Ok(creature(&json!({ "from": "file", "bundle": kept["bundle"], "name": kept["name"] })))
    }

    fn body_and_motion(&mut self) -> Result<(), Box<dyn Error>> {
        let dog = gallery("dog");
        self.ask(json!({ "ask": "hello" }))?;
        self.ask(json!({ "ask": "creature", "creature": dog }))?;
        self.ask(json!({ "ask": "gaits", "creature": dog, "style": style(json!({})) }))?;
        let heavy = style(json!({ "weight": 1.3, "scale": [["spine.*", 2.0]] }));
        self.ask(
            json!({ "ask": "body", "creature": dog, "style": heavy, "from": style(json!({})), "marks": [6, 7, 8] }),
        )?;
        let trot = gait(json!({ "name": "trot", "speed": 1.5, "edits": [{ "mode": 8, "offset": 0.05 }] }));
        self.ask(json!({ "ask": "motion", "creature": dog, "style": heavy, "gait": trot }))?;
        self.ask(json!({ "ask": "motion", "creature": dog, "style": style(json!({})), "gait": gait(json!({ "edits": [{ "mode": 7, "amplitude": 0.2 }] })) }))?;
        self.ask(json!({ "ask": "stand", "creature": dog, "style": style(json!({})) }))?;
        let pull = json!({ "body": 3, "point": [0.0, 0.0, 0.0], "target": [0.3, 0.1, 0.4] });
        self.ask(json!({ "ask": "reach", "creature": dog, "style": style(json!({})), "pulls": [pull] }))?;
        self.ask(json!({ "ask": "motion", "creature": gallery("snake"), "style": style(json!({})), "gait": gait(json!({ "name": "slither" })) }))?;
        Ok(())
    }

    fn simulation(&mut self) -> Result<(), Box<dyn Error>> {
        let dog = gallery("dog");
        let drive = json!({ "by": "gait", "gait": gait(json!({ "name": "walk" })) });
        self.ask(json!({ "ask": "simulate", "creature": dog, "style": style(json!({})), "drive": drive, "ground": true, "slope": 0.05, "help": true }))?;
        self.ask(json!({ "ask": "advance", "seconds": 0.1 }))?;
        let pull = json!({ "body": 1, "point": [0.1, 0.0, 0.0], "target": [0.3, 0.2, 0.8] });
        self.ask(json!({ "ask": "advance", "seconds": 0.1, "pull": pull }))?;
        let what = json!({ "of": "simulation" });
        self.ask(json!({ "ask": "export", "creature": dog, "style": style(json!({})), "what": what, "format": "json" }))?;
        let drive = json!({ "by": "pump", "modes": [{ "mode": 6 }, { "mode": 7, "phase": 1.5 }] });
        self.ask(json!({ "ask": "simulate", "creature": gallery("loop"), "style": style(json!({})), "drive": drive, "ground": true }))?;
        self.ask(json!({ "ask": "advance", "seconds": 0.2 }))?;
        Ok(())
    }

    fn plants(&mut self) -> Result<(), Box<dyn Error>> {
        let twig = self.drop_file("twig.csv", TWIG.as_bytes())?;
        self.ask(json!({ "ask": "plant", "creature": twig, "nodes": 3 }))?;
        self.ask(json!({ "ask": "forest", "creature": twig, "trees": 9, "row": true, "seed": 1 }))?;
        let wind = json!({ "wind": [5.0, -2.0], "gusts": 0.3, "seed": 1, "modes": 4, "stiffness": 1.5, "damping": 2.0 });
        let what = json!({ "of": "wind", "wind": wind });
        for format in ["json", "glb"] {
            self.ask(json!({ "ask": "export", "creature": twig, "style": style(json!({})), "what": what, "format": format, "seconds": 0.5 }))?;
        }
        Ok(())
    }

    fn search(&mut self) -> Result<(), Box<dyn Error>> {
        let biped = gallery("biped");
        let suggested = self.ask(json!({ "ask": "sketch", "creature": biped, "sketch": null }))?;
        let mut sketch = suggested["sketch"].clone();
        sketch["flight"]["priority"] = json!([{ "mode": 7, "amplitude": 0.1 }]);
        self.ask(json!({ "ask": "preview", "creature": biped, "sketch": sketch }))?;
        let mut moved = sketch.clone();
        moved["stiffness"] = json!(2.0);
        self.ask(json!({ "ask": "sketch", "creature": biped, "sketch": moved, "from": sketch }))?;
        self.ask(json!({ "ask": "search", "creature": biped, "sketch": sketch, "seed": 3 }))?;
        loop {
            let told = self.ask(json!({ "ask": "improve", "steps": 3 }))?;
            if told["evaluations"].as_u64() >= Some(CYCLES) || !told["outcome"].is_null() {
                break;
            }
        }
        let found = self.ask(json!({ "ask": "improve", "steps": 0, "keep": true }))?;
        let (controller, checkpoint) = (&found["kept"]["controller"], &found["kept"]["checkpoint"]);
        self.ask(json!({ "ask": "stop" }))?;
        self.ask(json!({ "ask": "search", "creature": biped, "sketch": sketch, "seed": 3, "checkpoint": checkpoint }))?;
        self.ask(json!({ "ask": "improve", "steps": 1 }))?;
        sketch["found"] = json!({ "seed": 3, "controller": controller, "status": "stopped", "short": null, "evaluations": 1, "speed": 1.0, "gap": null });
        self.ask(json!({ "ask": "cycle", "creature": biped, "sketch": sketch }))?;
        let drive = json!({ "by": "controller", "sketch": sketch });
        self.ask(json!({ "ask": "simulate", "creature": biped, "style": style(json!({})), "drive": drive, "ground": true, "help": true }))?;
        self.ask(json!({ "ask": "advance", "seconds": 0.1 }))?;
        let what = json!({ "of": "controller", "sketch": sketch });
        for format in ["sketch", "controller", "bvh"] {
            self.ask(
                json!({ "ask": "export", "creature": biped, "style": style(json!({})), "what": what, "format": format }),
            )?;
        }
        self.ask(json!({ "ask": "read-gait", "text": controller }))?;
        Ok(())
    }

    fn files(&mut self) -> Result<(), Box<dyn Error>> {
        let beast = self.drop_file("beast.glb", &quadruped(&Awkward { clips: true, ..Awkward::PLAIN }))?;
        self.ask(json!({ "ask": "creature", "creature": beast }))?;
        self.ask(
            json!({ "ask": "file", "bundle": beast["source"]["bundle"], "name": beast["source"]["name"] }),
        )?;
        let what = json!({ "of": "gait", "gait": gait(json!({ "name": "walk" })) });
        for format in ["glb", "rig", "gait", "json", "npz", "svg", "png", "gif", "apng"] {
            self.ask(json!({ "ask": "export", "creature": beast, "style": style(json!({})), "what": what, "format": format }))?;
        }
        for _ in 0..2 {
            self.ask(json!({ "ask": "set", "creature": beast, "style": style(json!({})), "gait": "walk" }))?;
        }
        let person = self.drop_file("walk.bvh", RECORDING.as_bytes())?;
        self.ask(json!({ "ask": "creature", "creature": person }))?;
        let dog = gallery("dog");
        let shared = self.ask(json!({ "ask": "share", "name": "a walk", "creature": dog, "style": style(json!({})), "gait": gait(json!({ "name": "walk" })) }))?;
        self.ask(json!({ "ask": "open-shared", "name": shared["name"] }))?;
        self.ask(json!({ "ask": "save", "tab": "one", "work": { "any": [1, 2] } }))?;
        self.ask(json!({ "ask": "load", "tab": "one" }))?;
        Ok(())
    }
}

fn gallery(name: &str) -> Value {
    creature(&json!({ "from": "gallery", "name": name }))
}

fn creature(source: &Value) -> Value {
    whole::<CreatureWork>(json!({ "source": source }))
}

fn style(said: Value) -> Value {
    whole::<Style>(said)
}

fn gait(said: Value) -> Value {
    whole::<GaitWork>(said)
}

/// With all that is left out, as the page sends it.
fn whole<T: Serialize + DeserializeOwned>(said: Value) -> Value {
    let whole: T = serde_json::from_value(said).expect("it is one");
    serde_json::to_value(whole).expect("it was one")
}
