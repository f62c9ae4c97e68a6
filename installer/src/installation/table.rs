//! Text tables with aligned columns.

/// Formats rows under a heading, each column as wide as its widest cell. Control characters, which
/// could manipulate the reader's terminal, are shown as `?`; an empty cell is a dash.
pub fn align<const N: usize>(heading: [&str; N], rows: &[[String; N]]) -> String {
    let mut lines = vec![heading.map(str::to_owned)];
    lines.extend(rows.iter().map(|row| row.each_ref().map(|cell| printable(cell))));
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths: [usize; N] = std::array::from_fn(|column| width(column).unwrap_or_default());
    let mut text = String::new();
    for line in &lines {
        let cells = line.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// Makes a text safe for a terminal.
pub fn printable(cell: &str) -> String {
    if cell.is_empty() {
        return "-".to_owned();
    }
    cell.chars().map(|character| if character.is_control() { '?' } else { character }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell_and_cannot_steer_a_terminal() {
        let cells = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
        let rows = [cells("a long one", "x"), cells("\u{1b}[2J", "")];
        assert_eq!(
            align(["id", "kind"], &rows),
            "id          kind\na long one  x\n?[2J        -\n"
        );
    }
}
