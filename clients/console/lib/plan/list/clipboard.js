import { onClipboard } from '../../grid/clipboard.js';
import { textOfCells } from '../../grid/tab-text.js';

/** How far each level of a copied name stands to the right, so that it is pasted on its level again. */
const INDENT = '    ';

/**
 * Copies cells of a plan, and pastes blocks into it, as text only: the page parses no HTML. What pasting takes is loaded
 * when somebody pastes.
 */
export class PlanClipboard {
    constructor(page) {
        this.page = page;
    }

    listen(element) {
        this.stop = onClipboard(element, (event, focused) => focused === element && this._heard(event));
    }

    _heard(event) {
        if (getSelection()?.isCollapsed === false) return;
        event.preventDefault();
        if (event.type === 'copy') return this._copy(event.clipboardData);
        const text = event.clipboardData.getData('text/plain');
        return this._pasting().then(pasting => pasting.paste(text));
    }

    async pasteFromButton() {
        return (await this._pasting()).pasteFromButton();
    }

    async _pasting() {
        const { Pasting } = await import('../paste/pasting.js');
        this._own ??= new Pasting(this.page);
        return this._own;
    }

    _copy(clipboard) {
        const { columns, list: { cells, shown, edits }, chart: { selected } } = this.page;
        if (!selected) return;
        const { left, right } = cells.block(selected);
        const nodes = cells.nodes(selected);
        const least = Math.min(...nodes.map(({ depth }) => depth));
        const textOf = (column, node) => (column.name === 'name' ? INDENT.repeat(node.depth - least) : '')
            + columns.copied(column, node);
        const rows = nodes.map(node => shown.slice(left, right + 1).map(column => textOf(column, node)));
        clipboard.setData('text/plain', textOfCells(rows));
        edits.say(nodes.length === 1 ? 'Copied.' : `Copied ${nodes.length.toLocaleString()} rows.`);
    }
}
