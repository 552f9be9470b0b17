/** Tables as text. */

/** Columns under their headings, two spaces apart. All columns after the first are aligned by their left edge too. */
export function alignedTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The same as a Markdown table. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Two digits: ".57", "-.02", "1.00", "-" for none. */
export function two(value: number): string {
  return Number.isFinite(value) ? value.toFixed(2).replace(/^(-?)0\./, '$1.') : '-';
}
