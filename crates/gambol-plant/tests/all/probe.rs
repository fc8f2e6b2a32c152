use gambol_plant::*;
#[test]
#[ignore = "development"]
fn walnut() {
    for (f, pr) in [("boutdenoylum2", Constants::Disc), ("noylum2", Constants::Disc), ("noylum2", Constants::Printed)] {
        let options = gambol_formats::LoadOptions::default();
        let (files, name) = gambol_formats::open(std::path::Path::new(&format!("/work/shared/data/trees/{f}.mtg")), &options).unwrap();
        let t = std::time::Instant::now();
        let file = gambol_formats::plant::read_plant(&files, &name, &options).unwrap();
        let plant = Plant::from_file(&file, None).unwrap();
        println!("{f} read {:?} {:?}", t.elapsed(), plant.remarks);
        let mechanics = Mechanics::new(&plant, &WoodSettings::default(), pr).unwrap();
        println!("{} nodes {} kg loose {} {:?}", plant.len(), mechanics.total_mass(), plant.loose_pieces, t.elapsed());
        let modes = plant_modes(&plant, &mechanics, 25).unwrap();
        println!("{:?}", t.elapsed());
        println!("{:?}", modes.iter().map(PlantMode::frequency).collect::<Vec<_>>());
    }
}
