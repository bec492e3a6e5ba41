// Blocks of cells as spreadsheets write them to the clipboard: a line a row, a tab between cells. A cell with a tab, a
// line end or a quote in it stands in quotes, and its quotes are doubled.

/** The cells of a text, as lists in a list. The line end behind the last row makes no row. */
export function cellsOf(text) {
    const rows = [[]];
    for (const { cell, end } of pieces(text.replace(/\r\n?/g, '\n'))) {
        rows.at(-1).push(cell);
        if (end === '\n') rows.push([]);
    }
    const last = rows.at(-1);
    if (rows.length > 1 && last.length === 1 && last[0] === '') rows.pop();
    return rows;
}

/** Each cell with what ends it: a tab, a line end, or nothing at the end of the text. */
function* pieces(text) {
    const plain = /[^\t\n]*/y;
    const quoted = /"((?:[^"]|"")*)"(?=[\t\n]|$)/y;
    for (let place = 0; ;) {
        quoted.lastIndex = plain.lastIndex = place;
        const found = quoted.exec(text);
        const cell = found ? found[1].replaceAll('""', '"') : plain.exec(text)[0];
        const end = found ? quoted.lastIndex : plain.lastIndex;
        yield { cell, end: text[end] };
        if (end >= text.length) return;
        place = end + 1;
    }
}

/** The text of rows of cells. */
export const textOfCells = rows => rows.map(cells => cells.map(quotedIfNeeded).join('\t')).join('\n');

const quotedIfNeeded = cell => (/[\t\n\r]|^"/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
