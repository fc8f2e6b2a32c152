//! Tables of the command line: no frames, numbers to the right.

use comfy_table::{CellAlignment, Table, presets};

/// An empty table; without a header if that is empty.
pub(super) fn plain(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    if !header.is_empty() {
        table.set_header(header.to_vec());
    }
    table
}

/// Sets columns flush right.
pub(super) fn right_align(table: &mut Table, columns: &[usize]) {
    for &column in columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}
