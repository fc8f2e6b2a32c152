//! Sets of clips for games, one clip for each time that the page asks, and the tempo of a file's own clips. Both are held against the
//! library, which the command line calls in the same way.

use gambol::dynamics::Data;
use gambol::formats::gltf::samples::{Awkward, quadruped};
use gambol::gait::{SetMaker, Style};
use serde_json::{Value, json};

use super::support::{Answer, Page, gallery, index};

/// As little as can walk, so that a whole set takes a moment.
const WALKER: &str = include_str!("../../walker.xml");

fn set(creature: &Value, style: &Value, gait: &str) -> Value {
    json!({ "ask": "set", "creature": creature, "style": style, "gait": gait })
}

fn take(creature: &Value, gait: &str, in_place: bool) -> Value {
    json!({ "ask": "export", "creature": creature, "style": {}, "what": { "of": "set", "gait": gait }, "format": "glb", "in_place": in_place })
}

fn json_of(glb: &[u8]) -> Value {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

fn names(document: &Value) -> Vec<&str> {
    document["animations"].as_array().unwrap().iter().map(|clip| clip["name"].as_str().unwrap()).collect()
}

/// The last time of a clip, s.
fn duration(document: &Value, name: &str) -> f64 {
    let clips = document["animations"].as_array().unwrap();
    let clip = clips.iter().find(|clip| clip["name"] == name).unwrap();
    let input = index(&clip["samplers"][0]["input"]);
    document["accessors"][input]["max"][0].as_f64().unwrap()
}

#[test]
fn a_set_is_made_clip_by_clip_and_goes_home_whole() {
    let mut page = Page::new();
    let walker = page.drop_files(&[("walker.xml", WALKER.as_bytes())]);
    let begun = page.ask(set(&walker, &json!({}), "walk")).head;
    assert_eq!((&begun["done"], &begun["next"]), (&json!(0), &json!("idle")));
    assert!(page.trouble(take(&walker, "walk", false), &[]).contains("not made yet"));
    let mut made = Vec::new();
    let mut now = begun;
    while let Some(next) = now["next"].as_str() {
        made.push(next.to_owned());
        assert!(index(&now["done"]) < index(&now["most"]), "{now}");
        // What a slider asks meanwhile is answered, and changes nothing of the set.
        let heavy = json!({ "weight": 1.0 + 0.01 * made.len() as f64 });
        page.ask(json!({ "ask": "body", "creature": walker, "style": heavy }));
        now = page.ask(set(&walker, &json!({}), "walk")).head;
        assert_eq!(index(&now["done"]), made.len());
    }
    assert_eq!(now["done"], now["most"]);
    assert_eq!(made[0], "idle");
    for clip in
        ["walk", "walk-left", "walk-right", "walk-start", "walk-stop", "turn-left", "turn-right", "jump"]
    {
        assert!(made.iter().any(|name| name == clip), "{clip}: {made:?}");
    }

    let Answer { head, bytes } = page.ask(take(&walker, "walk", false));
    assert_eq!(head["name"], "walker-locomotion.glb");
    let document = json_of(&bytes);
    // What cannot be done is left out, and told.
    let left_out = head["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|line| line.as_str().unwrap().starts_with("left out"));
    let left_out: Vec<&str> = left_out.map(|line| line.as_str().unwrap()).collect();
    let whole = made.iter().filter(|name| !left_out.iter().any(|line| line.contains(&format!("{name}:"))));
    assert_eq!(names(&document), whole.collect::<Vec<_>>());
    // The same set, in place: nothing has to be made again.
    assert_eq!(page.ask(set(&walker, &json!({}), "walk")).head["next"], Value::Null);
    assert_ne!(page.ask(take(&walker, "walk", true)).bytes, bytes);

    // As the library makes it.
    let creature = gambol::formats::load_from(
        &gambol::formats::files::Memory::new().with("walker.xml", WALKER),
        "walker.xml",
        &gambol::LoadOptions::default(),
    );
    let creature = creature.unwrap().build().unwrap();
    let mut data = Data::new(&creature);
    let mut maker = SetMaker::new(creature, &mut data, |_: &mut Style| (), 60.0).unwrap();
    for _ in 0..2 {
        maker.make(&mut data).unwrap();
    }
    for clip in &maker.finish().clips {
        let clip = &clip.performance.clip;
        assert!((duration(&document, &clip.name) - clip.duration()).abs() < 1e-6, "{}", clip.name);
    }
}

#[test]
fn sets_that_cannot_be_and_sets_of_another_body() {
    let mut page = Page::new();
    let legless = page.trouble(set(&gallery("snake"), &json!({}), "slither"), &[]);
    assert!(legless.contains("legs") && legless.contains("snake"), "{legless}");
    assert!(page.trouble(set(&gallery("loop"), &json!({}), "roll"), &[]).contains("legs"));
    page.trouble(set(&gallery("biped"), &json!({ "weight": -1 }), "walk"), &[]);
    assert!(page.trouble(take(&gallery("biped"), "walk", false), &[]).contains("not made yet"));
    let gltf = json!({ "ask": "export", "creature": gallery("biped"), "style": {}, "what": { "of": "set", "gait": null }, "format": "bvh" });
    assert!(page.trouble(gltf, &[]).contains("GLB"));

    // Another body begins another set; and a style that came with the gait on the stage is not for all of them.
    let walker = page.drop_files(&[("walker.xml", WALKER.as_bytes())]);
    for style in [json!({}), json!({ "weight": 1.3 }), json!({})] {
        assert_eq!(page.ask(set(&walker, &style, "walk")).head["done"], 0);
    }
    assert_eq!(page.ask(set(&walker, &json!({}), "walk")).head["done"], 1);
}

/// The beast's file with a walk of its own in it, three times as fast as its size has it: as an artist would have it who drew a
/// small animal with large units.
fn quick(page: &mut Page) -> (Value, Vec<u8>, f64) {
    let beast = page.drop_files(&[("beast.glb", &quadruped(&Awkward::default()))]);
    let motion = json!({ "ask": "motion", "creature": beast, "style": {}, "gait": { "name": "walk" } });
    let report = page.ask(motion).head["report"].clone();
    let frequency = 3.0 * report["stride_frequency"].as_f64().unwrap();
    let gait = json!({ "name": "walk", "frequency": frequency, "stride_length": report["stride_length"] });
    let what = json!({ "of": "gait", "gait": gait });
    let file = page.ask(json!({ "ask": "export", "creature": beast, "style": {}, "what": what, "format": "glb", "in_place": true })).bytes;
    let creature = page.drop_files(&[("quick.glb", &file)]);
    (creature, file, frequency)
}

#[test]
fn the_tempo_of_its_own_clips_is_offered_and_all_follows_it() {
    let mut page = Page::new();
    let (by_size, _, frequency) = quick(&mut page);
    let mut in_step = by_size.clone();
    in_step["own_tempo"] = json!(true);
    let [plain, own] = [&by_size, &in_step]
        .map(|creature| page.ask(json!({ "ask": "creature", "creature": creature })).head);
    let number = |value: &Value| value.as_f64().unwrap();
    assert_eq!(plain["tempo"]["differs"], true, "{}", plain["tempo"]);
    let said = plain["tempo"]["said"].as_str().unwrap();
    assert!(said.contains(&format!("{frequency:.2} strides per second")), "{said} {frequency}");
    assert!((number(&plain["gravity"]) - 9.81).abs() < 1e-9);
    // What was taken is told.
    let faster = number(&own["tempo"]["faster"]);
    assert!((faster / 3.0 - 1.0).abs() < 0.3, "{faster}");
    assert!((number(&own["gravity"]) / (9.81 * faster * faster) - 1.0).abs() < 1e-9);
    let said = own["tempo"]["said"].as_str().unwrap();
    assert!(said.contains("in step with its own clips") && said.contains("m/s²"), "{said}");
    assert_eq!(plain["height"], own["height"]);
    // Gaits, files and sets follow it, and the file keeps its size; a rig file is of the file, whatever the tempo.
    let motion = |page: &mut Page, creature: &Value| {
        page.ask(json!({ "ask": "motion", "creature": creature, "style": {}, "gait": { "name": "walk" } }))
            .head["report"]
            .clone()
    };
    let [slow, quick] = [&by_size, &in_step].map(|creature| motion(&mut page, creature));
    let ratio = |key: &str| number(&quick[key]) / number(&slow[key]);
    assert!((ratio("stride_frequency") / faster - 1.0).abs() < 0.01, "{}", ratio("stride_frequency"));
    assert!((ratio("stride_length") - 1.0).abs() < 0.01, "{}", ratio("stride_length"));
    let what = json!({ "of": "gait", "gait": { "name": "walk" } });
    let export = |page: &mut Page, creature: &Value, format: &str| {
        page.ask(
            json!({ "ask": "export", "creature": creature, "style": {}, "what": what, "format": format }),
        )
        .bytes
    };
    assert_eq!(export(&mut page, &by_size, "rig"), export(&mut page, &in_step, "rig"));
    assert_eq!(page.ask(set(&by_size, &json!({}), "walk")).head["done"], 0);
    assert_eq!(page.ask(set(&in_step, &json!({}), "walk")).head["done"], 0, "another tempo is another set");

    // Where no clip is a gait, nothing is offered; and who wants it nevertheless is told.
    let mut beast =
        page.drop_files(&[("beast.glb", &quadruped(&Awkward { clips: true, ..Awkward::default() }))]);
    let answer = page.ask(json!({ "ask": "creature", "creature": beast })).head;
    assert_eq!(answer["tempo"], Value::Null);
    beast["own_tempo"] = json!(true);
    let answer = page.ask(json!({ "ask": "creature", "creature": beast })).head;
    assert!(answer["warnings"].to_string().contains("none of its clips is a gait"), "{}", answer["warnings"]);
}
