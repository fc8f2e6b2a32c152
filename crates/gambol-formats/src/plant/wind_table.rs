//! A wind that was recorded: a table with the columns t, vx, vy and, if it has one, vz; s and m/s.

use gambol_model::Vec3;

use super::PlantFile;
use super::numbers::{line_number, needed};
use crate::FormatError;

/// Wind over time, the same everywhere.
#[derive(Clone, Debug, PartialEq)]
pub struct WindTable {
    /// s, each later than the one before.
    times: Vec<f64>,
    /// m/s
    velocities: Vec<Vec3>,
}

impl WindTable {
    /// Reads the text of a table; `file` names it in messages.
    pub fn from_csv(file: &str, text: &str) -> Result<Self, FormatError> {
        let plant = PlantFile { file: file.to_owned(), points: Vec::new(), remarks: Vec::new() };
        let mut lines =
            text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let Some((at, header)) = lines.next() else {
            return Err(FormatError::new(file, "the file is empty"));
        };
        let cells = |line: &str| -> Vec<String> {
            line.split([',', ';', '\t']).map(|cell| cell.trim().to_ascii_lowercase()).collect()
        };
        let names = cells(header);
        let find = |name: &str| names.iter().position(|found| found == name);
        let missing = |name: &str| {
            plant.error(
                line_number(at),
                format!("there is no column {name}; a wind has t, vx, vy and perhaps vz"),
            )
        };
        let time = find("t").or(find("time")).ok_or_else(|| missing("t"))?;
        let [x, y] = [find("vx").ok_or_else(|| missing("vx"))?, find("vy").ok_or_else(|| missing("vy"))?];
        let z = find("vz");
        let (mut times, mut velocities): (Vec<f64>, Vec<Vec3>) = (Vec::new(), Vec::new());
        for (index, line) in lines {
            let (line, cells) = (line_number(index), cells(line));
            let at =
                |name: &str, column: usize| needed(&plant, line, name, cells.get(column).map(String::as_str));
            let now = at("t", time)?;
            if times.last().is_some_and(|before| *before >= now) {
                return Err(plant.error(line, format!("t: {now} is not later than the line before")));
            }
            times.push(now);
            velocities.push(Vec3::new(at("vx", x)?, at("vy", y)?, z.map_or(Ok(0.0), |z| at("vz", z))?));
        }
        if times.is_empty() {
            return Err(FormatError::new(file, "there is no line with a wind in it"));
        }
        Ok(Self { times, velocities })
    }

    /// m/s at a time: straight between two lines of the table, and as at its ends before and after it.
    pub fn at(&self, time: f64) -> Vec3 {
        let after = self.times.partition_point(|t| *t <= time);
        let last = self.times.len() - 1;
        if after == 0 || after > last {
            return self.velocities[after.min(last)];
        }
        let (from, to) = (self.times[after - 1], self.times[after]);
        self.velocities[after - 1].lerp(&self.velocities[after], (time - from) / (to - from))
    }

    /// The mean of its lines, m/s.
    pub fn mean(&self) -> Vec3 {
        self.velocities.iter().sum::<Vec3>() / self.velocities.len() as f64
    }
}
