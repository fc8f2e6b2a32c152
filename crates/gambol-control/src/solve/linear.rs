//! The revised simplex method for unknowns with bounds, with Bland's rule against cycles (Bland 1977, "New finite pivoting rules for
//! the simplex method").
//!
//! ```text
//! minimise c·x + Σ wₖ |aₖ·x − bₖ|   subject to rows   a·x = b,   a·x ≥ b,   a·x ≤ b   and   l ≤ x ≤ h
//! ```
//!
//! Each row gets a slack s, a·x + s = b, whose bounds say which relation it is; what it cannot take up is an artificial unknown
//! with the price 1 in a first phase, and nothing afterwards. A row that is to be met nearly has both at its own price: the
//! absolute value in slacks, which is how Kokkevis et al. 1995 write their equation 6.

use super::SolveStatus;
use super::basis::BasisInverse;
use super::rows::{Relation, Rows};

gambol_model::settings! {
    /// How linear programs are solved.
    pub struct LinearSettings {
        /// What counts as zero, as a share of the numbers that it is the difference of: reduced costs, and what the first phase
        /// leaves. Rounding makes some 1e-14 of it.
        zero: f64 = 1e-10, Positive;
        /// The least pivot, as a share of the largest number of its column: below, rounding would be divided by rounding.
        pivot: f64 = 1e-10, Positive;
        /// Most exchanges in a phase. Bland's rule ends by itself, this is an end for what rounding makes of it; the forces of four
        /// feet take about 20.
        steps: usize = 5000, AtLeastOne;
        /// Exchanges until the inverse is computed afresh. Each adds some rounding; afresh it costs about 3 m exchanges.
        refresh: usize = 50, AtLeastOne;
    }
}

/// A linear program, and what is needed to solve it again and again.
///
/// Kokkevis et al. 1995, equations 4 to 7, for one leg in the plane: the force nearest to what is wanted that the leg can
/// bear.
///
/// ```
/// use gambol_control::solve::{LinearProgram, SolveStatus};
///
/// let (wanted, most) = ([30.0, 120.0], 100.0);
/// let mut program = LinearProgram::new(2, 2);
/// program.begin(2);
/// for (axis, wanted) in wanted.into_iter().enumerate() {
///     program.set_bounds(axis, -most, most);
///     program.near(wanted, 1.0)[axis] = 1.0;
/// }
/// assert_eq!(program.solve(), SolveStatus::Optimal);
/// assert_eq!(program.x(), [30.0, 100.0]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LinearProgram {
    settings: LinearSettings,
    rows: Rows,
    x: Vec<f64>,
    multipliers: Vec<f64>,
    cost: Vec<f64>,
    /// Of unknowns, slacks and artificials, one behind the other.
    columns: Vec<Column>,
    /// Which column is basic, per row of the basis, and its value.
    basic: Vec<usize>,
    values: Vec<f64>,
    inverse: BasisInverse,
    /// Of the length of a column: costs of what is basic, the entering column, and the inverse times that.
    prices: Vec<f64>,
    entering: Vec<f64>,
    direction: Vec<f64>,
    steps: usize,
}

/// An unknown, slack or artificial.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Column {
    lower: f64,
    upper: f64,
    /// In this phase.
    cost: f64,
    /// Its value while it is not basic.
    rests: f64,
    basic: bool,
    /// Of an artificial: what it stands with in its row.
    sign: f64,
}

impl Column {
    fn new(lower: f64, upper: f64) -> Self {
        let rests = if lower.is_finite() {
            lower
        } else if upper.is_finite() {
            upper
        } else {
            0.0
        };
        Self { lower, upper, cost: 0.0, rests, basic: false, sign: 1.0 }
    }
}

/// How far what enters goes, and what ends it.
enum Step {
    /// To its other bound.
    Across(f64),
    /// Until this row's basic column is at a bound.
    Until(f64, usize),
    Endless,
}

impl LinearProgram {
    /// For programs of at most so many unknowns and rows without allocation; larger ones make it grow.
    pub fn new(unknowns: usize, rows: usize) -> Self {
        let line = || Vec::with_capacity(rows);
        Self {
            settings: LinearSettings::default(),
            rows: Rows::with_capacity(unknowns, rows),
            x: Vec::with_capacity(unknowns),
            cost: Vec::with_capacity(unknowns),
            columns: Vec::with_capacity(unknowns + 2 * rows),
            basic: Vec::with_capacity(rows),
            values: line(),
            inverse: BasisInverse::with_capacity(rows),
            multipliers: line(),
            prices: line(),
            entering: line(),
            direction: line(),
            steps: 0,
        }
    }

    /// With other settings.
    pub fn with_settings(self, settings: LinearSettings) -> Self {
        Self { settings, ..self }
    }

    /// A new program of so many unknowns: at least 0, without cost and rows.
    pub fn begin(&mut self, unknowns: usize) {
        self.rows.clear(unknowns);
        for numbers in [&mut self.x, &mut self.cost] {
            numbers.clear();
            numbers.resize(unknowns, 0.0);
        }
        self.multipliers.clear();
        self.columns.clear();
        self.columns.resize(unknowns, Column::new(0.0, f64::INFINITY));
    }

    /// c
    pub fn cost_mut(&mut self) -> &mut [f64] {
        &mut self.cost
    }

    /// The bounds of an unknown, each of which may be infinite.
    pub fn set_bounds(&mut self, unknown: usize, lower: f64, upper: f64) {
        self.columns[unknown] = Column::new(lower, upper);
    }

    /// A further row a·x = `bound`: a, to be filled in, zero until then.
    pub fn equal(&mut self, bound: f64) -> &mut [f64] {
        self.rows.push(Relation::Equal, bound)
    }

    /// A further row a·x ≥ `bound`: a, to be filled in, zero until then.
    pub fn at_least(&mut self, bound: f64) -> &mut [f64] {
        self.rows.push(Relation::AtLeast, bound)
    }

    /// A further row a·x ≤ `bound`: a, to be filled in, zero until then.
    pub fn at_most(&mut self, bound: f64) -> &mut [f64] {
        self.rows.push(Relation::AtMost, bound)
    }

    /// A further row of which |a·x − `bound`| costs `weight` for each unit: a, to be filled in, zero until then.
    pub fn near(&mut self, bound: f64, weight: f64) -> &mut [f64] {
        self.rows.push(Relation::Near(weight), bound)
    }

    /// Solves it.
    pub fn solve(&mut self) -> SolveStatus {
        self.steps = 0;
        let status = self.run();
        for (x, column) in self.x.iter_mut().zip(&self.columns) {
            *x = column.rests;
        }
        for (j, value) in self.basic.iter().zip(&self.values) {
            // Slacks and artificials have larger numbers.
            if let Some(x) = self.x.get_mut(*j) {
                *x = *value;
            }
        }
        status
    }

    /// The solution; where there is none, where solving ended.
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// The price of each row's bound: how much the least cost grows with it.
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// Exchanges of the last [`solve`](Self::solve).
    pub fn steps(&self) -> usize {
        self.steps
    }

    fn run(&mut self) -> SolveStatus {
        self.basic.clear();
        if !self.rows.seal() || !self.is_finite() {
            return SolveStatus::NotFinite;
        }
        if self.columns.iter().any(|column| column.lower > column.upper) {
            return SolveStatus::Infeasible;
        }
        self.begin_phase_one();
        match self.exchange_until_least() {
            SolveStatus::Optimal => {}
            // The cost of this phase cannot fall below zero; only rounding makes it seem so.
            SolveStatus::Unbounded => return SolveStatus::Limit,
            other => return other,
        }
        if !self.artificials_are_zero() {
            return SolveStatus::Infeasible;
        }
        self.begin_phase_two();
        match self.exchange_until_least() {
            SolveStatus::Optimal if self.refresh() => SolveStatus::Optimal,
            SolveStatus::Optimal => SolveStatus::Limit,
            other => other,
        }
    }

    fn is_finite(&self) -> bool {
        let sound = |column: &Column| {
            !(column.lower.is_nan() || column.upper.is_nan())
                && column.lower < f64::INFINITY
                && column.upper > f64::NEG_INFINITY
        };
        self.cost.iter().all(|c| c.is_finite()) && self.columns[..self.x.len()].iter().all(sound)
    }

    /// Unknowns at a bound, slacks basic where they can take up what is left, artificials elsewhere.
    fn begin_phase_one(&mut self) {
        let (n, m) = (self.x.len(), self.rows.len());
        for (x, column) in self.x.iter_mut().zip(&mut self.columns) {
            *column = Column::new(column.lower, column.upper);
            *x = column.rests;
        }
        self.columns.truncate(n);
        self.columns.extend((0..m).map(|i| slack(self.rows.relation(i))));
        self.columns.resize(n + 2 * m, Column::new(0.0, f64::INFINITY));
        self.values.clear();
        for numbers in [&mut self.prices, &mut self.entering, &mut self.direction, &mut self.multipliers] {
            numbers.clear();
            numbers.resize(m, 0.0);
        }
        self.inverse.reset(m);
        for i in 0..m {
            let idle = !self.rows.bound(i).is_finite();
            let left = if idle { 0.0 } else { self.rows.bound(i) - self.rows.times(i, &self.x) };
            let near = matches!(self.rows.relation(i), Relation::Near(_));
            let takes = left >= self.columns[n + i].lower && left <= self.columns[n + i].upper;
            let artificial = &mut self.columns[n + m + i];
            artificial.sign = if left < 0.0 || near { -1.0 } else { 1.0 };
            artificial.cost = if near { 0.0 } else { 1.0 };
            let sign = if takes { 1.0 } else { artificial.sign };
            self.basic.push(if takes { n + i } else { n + m + i });
            self.values.push(sign * left);
            self.columns[self.basic[i]].basic = true;
            self.inverse.set_sign(i, sign);
        }
    }

    /// What an artificial may be at most at the end of the first phase: what rounding makes of the numbers of its row.
    fn artificials_are_zero(&self) -> bool {
        let (n, m) = (self.x.len(), self.rows.len());
        let value = |j: usize| if j < n { self.columns[j].rests } else { 0.0 };
        let mut largest: f64 = (0..n).map(|j| value(j).abs()).fold(0.0, f64::max);
        for (j, x) in self.basic.iter().zip(&self.values).filter(|(j, _)| **j < n) {
            largest = largest.max(if *j < n { x.abs() } else { 0.0 });
        }
        let is_artificial =
            |j: usize| j >= n + m && !matches!(self.rows.relation(j - n - m), Relation::Near(_));
        self.basic.iter().zip(&self.values).filter(|(j, _)| is_artificial(**j)).all(|(j, x)| {
            let row = j - n - m;
            let scale = self.rows.norm(row) * largest + self.rows.bound(row).abs();
            *x <= self.settings.zero * scale
        })
    }

    /// The costs as they are; artificials stay at zero from now on.
    fn begin_phase_two(&mut self) {
        let (n, m) = (self.x.len(), self.rows.len());
        for (column, cost) in self.columns.iter_mut().zip(&self.cost) {
            column.cost = *cost;
        }
        for i in 0..m {
            let (slack, artificial) = (n + i, n + m + i);
            if let Relation::Near(weight) = self.rows.relation(i) {
                self.columns[slack].cost = weight;
                self.columns[artificial].cost = weight;
            } else {
                self.columns[artificial].cost = 0.0;
                self.columns[artificial].upper = 0.0;
            }
        }
    }

    /// The simplex method on the costs of this phase.
    fn exchange_until_least(&mut self) -> SolveStatus {
        for step in 1..=self.settings.steps {
            if step % self.settings.refresh == 0 && !self.refresh() {
                return SolveStatus::Limit;
            }
            self.price();
            let Some((enters, sign)) = self.entering() else { return SolveStatus::Optimal };
            self.write_column(enters);
            self.inverse.times(&self.entering, &mut self.direction);
            self.steps += 1;
            match self.longest_step(enters, sign) {
                Step::Endless => return SolveStatus::Unbounded,
                Step::Across(t) => {
                    self.advance(-sign * t);
                    let column = &mut self.columns[enters];
                    column.rests = if sign > 0.0 { column.upper } else { column.lower };
                }
                Step::Until(t, leaves) => self.exchange(enters, sign, t, leaves),
            }
        }
        SolveStatus::Limit
    }

    /// y = B⁻ᵀ c_B
    fn price(&mut self) {
        for (price, j) in self.prices.iter_mut().zip(&self.basic) {
            *price = self.columns[*j].cost;
        }
        self.inverse.transposed_times(&self.prices, &mut self.multipliers);
    }

    /// The first column that makes the cost smaller (Bland's rule), and which way it goes.
    fn entering(&self) -> Option<(usize, f64)> {
        let largest = self.columns.iter().fold(0.0, |most: f64, column| most.max(column.cost.abs()));
        let movable = |column: &Column| !column.basic && column.lower < column.upper;
        for (j, column) in self.columns.iter().enumerate().filter(|(_, column)| movable(column)) {
            let (reduced, scale) = self.reduced_cost(j, largest);
            let sign = if reduced < 0.0 { 1.0 } else { -1.0 };
            let free = if sign > 0.0 { column.rests < column.upper } else { column.rests > column.lower };
            if free && reduced.abs() > self.settings.zero * scale {
                return Some((j, sign));
            }
        }
        None
    }

    /// c − y·a of a column, and the size of what it is the difference of: prices have the rounding of the largest cost.
    fn reduced_cost(&self, j: usize, largest: f64) -> (f64, f64) {
        let (mut reduced, mut scale) = (self.columns[j].cost, self.columns[j].cost.abs());
        for (i, y) in self.multipliers.iter().enumerate() {
            let a = entry(&self.rows, &self.columns, self.x.len(), i, j);
            reduced -= y * a;
            scale += (y.abs() + largest) * a.abs();
        }
        (reduced, scale)
    }

    fn write_column(&mut self, j: usize) {
        for i in 0..self.rows.len() {
            self.entering[i] = entry(&self.rows, &self.columns, self.x.len(), i, j);
        }
    }

    /// The ratio test; of several that end a step the one with the least number leaves (Bland's rule).
    fn longest_step(&self, enters: usize, sign: f64) -> Step {
        let largest = self.direction.iter().fold(0.0, |most: f64, w| most.max(w.abs()));
        let mut longest = (f64::INFINITY, 0);
        for (k, w) in
            self.direction.iter().enumerate().filter(|(_, w)| w.abs() > self.settings.pivot * largest)
        {
            let column = &self.columns[self.basic[k]];
            let falls = sign * w > 0.0;
            let room = if falls { self.values[k] - column.lower } else { column.upper - self.values[k] };
            let t = room.max(0.0) / w.abs();
            if t < longest.0 || (t == longest.0 && t.is_finite() && self.basic[k] < self.basic[longest.1]) {
                longest = (t, k);
            }
        }
        let across = self.columns[enters].upper - self.columns[enters].lower;
        if across.is_finite() && across <= longest.0 {
            Step::Across(across)
        } else if longest.0.is_finite() {
            Step::Until(longest.0, longest.1)
        } else {
            Step::Endless
        }
    }

    /// Moves what is basic along the direction.
    fn advance(&mut self, t: f64) {
        for (value, w) in self.values.iter_mut().zip(&self.direction) {
            *value += t * w;
        }
    }

    fn exchange(&mut self, enters: usize, sign: f64, t: f64, leaves: usize) {
        self.advance(-sign * t);
        let out = &mut self.columns[self.basic[leaves]];
        out.basic = false;
        out.rests = if sign * self.direction[leaves] > 0.0 { out.lower } else { out.upper };
        self.inverse.exchange(leaves, &self.direction);
        self.basic[leaves] = enters;
        self.values[leaves] = self.columns[enters].rests + sign * t;
        self.columns[enters].basic = true;
    }

    /// The inverse, the values and the prices afresh; `false` if the basic columns depend on each other.
    fn refresh(&mut self) -> bool {
        let (n, m) = (self.x.len(), self.rows.len());
        let (rows, columns, basic) = (&self.rows, &self.columns, &self.basic);
        if !self.inverse.refresh(|i, k| entry(rows, columns, n, i, basic[k])) {
            return false;
        }
        for i in 0..m {
            let idle = !rows.bound(i).is_finite();
            self.entering[i] = if idle { 0.0 } else { rows.bound(i) };
        }
        for (j, column) in
            columns.iter().enumerate().filter(|(_, column)| !column.basic && column.rests != 0.0)
        {
            for i in 0..m {
                self.entering[i] -= entry(rows, columns, n, i, j) * column.rests;
            }
        }
        self.inverse.times(&self.entering, &mut self.values);
        self.price();
        true
    }
}

/// Row i of a column: of an unknown, a slack or an artificial, in this order. A row that asks for nothing has no numbers.
fn entry(rows: &Rows, columns: &[Column], n: usize, i: usize, j: usize) -> f64 {
    let m = rows.len();
    if j < n {
        if rows.bound(i).is_finite() { rows.at(i, j) } else { 0.0 }
    } else if j < n + m {
        f64::from(u8::from(j - n == i))
    } else if j - n - m == i {
        columns[j].sign
    } else {
        0.0
    }
}

/// a·x + s = b
fn slack(relation: Relation) -> Column {
    match relation {
        Relation::Equal => Column::new(0.0, 0.0),
        Relation::AtMost | Relation::Near(_) => Column::new(0.0, f64::INFINITY),
        Relation::AtLeast => Column::new(f64::NEG_INFINITY, 0.0),
    }
}
