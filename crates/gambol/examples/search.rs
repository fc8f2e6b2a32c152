//! A search over a problem of one's own: how stiff must a lamp's joint be to swing once a second?

use gambol::control::cma::Bounds;
use gambol::control::search::{
    Equality, Measure, Number, OneThread, Problem, Search, SearchSettings, Values,
};

/// kg·m², of what swings.
const INERTIA: f64 = 0.4;

struct OncePerSecond([Number; 1]);

impl Problem for OncePerSecond {
    type Verdict = Values;

    fn identity(&self) -> String {
        "a lamp that swings once a second".to_owned()
    }

    fn numbers(&self) -> &[Number] {
        &self.0
    }

    fn equalities(&self) -> &[Equality] {
        &[Equality { name: "frequency", tolerance: 1e-3 }] // Hz
    }

    /// One for each thread; the executor decides how many there are.
    fn judge(&self) -> Box<dyn FnMut(&[f64]) -> Values + '_> {
        Box::new(|x| {
            let frequency = (x[0] / INERTIA).max(0.0).sqrt() / std::f64::consts::TAU;
            Values::new(0.0).equal(frequency - 1.0)
        })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stiffness = Number { name: "stiffness".to_owned(), mean: 5.0, deviation: 3.0, bounds: Bounds::NONE };
    let settings = SearchSettings { measure: Measure::Difference, ..SearchSettings::default() };
    let mut search = Search::new(OncePerSecond([stiffness]), settings)?;
    let outcome = search.run(&mut OneThread, &mut |_| true);
    let (x, _) = search.nearest().ok_or("nothing was tried")?;
    println!("{outcome:?}: {:.1} N·m/rad", x[0]);
    Ok(())
}
