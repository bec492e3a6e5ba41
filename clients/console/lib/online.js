import { element, fill, loading, problem } from './elements.js';

/**
 * A part of a page whose content comes from the server each time: it shows that it waits, then what `load` made, or the
 * problem with a button to try again. `show()` loads once more. What comes after `close()`, or after a later `show()`,
 * is dropped.
 */
export class Online {
    _round = 0;

    constructor(load, waiting = 'Loading …') {
        Object.assign(this, { load, waiting });
        this.element = element('div', { class: 'online' });
    }

    async show() {
        const round = ++this._round;
        if (!this.element.hasChildNodes()) fill(this.element, loading(this.waiting));
        let content;
        try {
            content = await this.load();
        } catch (error) {
            const again = element('button', { text: 'Try again', onclick: () => this.show() });
            content = problem(worded(error), again);
        }
        if (round === this._round) fill(this.element, content);
    }

    close() {
        this._round += 1;
    }
}

/** An error in words for a person at a browser. */
export function worded(error) {
    if (error.status === 0 || error.code === 'network') {
        return { detail: 'The server can\'t be reached. This part of the console needs a network.' };
    }
    return error;
}

/** All elements of a list of the API, page after page, but at most `most`. */
export async function listed(context, path, query = {}, most = 500) {
    const results = [];
    let after;
    do {
        const page = await context.api('GET', path, { query: { ...query, limit: 100, ...after && { after } } });
        results.push(...page.results);
        after = page.next;
    } while (after && results.length < most);
    return { results, isAll: !after };
}
