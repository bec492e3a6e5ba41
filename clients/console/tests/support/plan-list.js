import { readFileSync } from 'node:fs';

const DOCS = new URL('../../../../docs/console.md', import.meta.url);

/** How many keys, or clicks, a job of docs/console.md may take. */
export function limitOf(job, column) {
    const lines = readFileSync(DOCS, 'utf8').split('\n');
    const cells = lines.find(line => line.startsWith(`| ${job} |`))?.split('|').map(each => each.trim());
    if (!cells) throw new Error(`docs/console.md has no job “${job}”`);
    return Number(cells[{ keys: 2, clicks: 3 }[column]]);
}

/** The list of a plan in a tab, under the hands of somebody who counts. */
export class PlanList {
    /** Keys, and clicks, since the count began. Each letter is a key. */
    keys = 0;
    clicks = 0;

    constructor(page) {
        this.page = page;
    }

    begin() {
        Object.assign(this, { keys: 0, clicks: 0 });
    }

    async press(...keys) {
        this.keys += 1;
        await this.page.press(...keys);
    }

    async type(text) {
        this.keys += [...text].length;
        await this.page.type(text);
    }

    /** Types over a cell, and stores it. */
    async write(text) {
        const [first, ...rest] = text;
        await this.press(first);
        await this.type(rest.join(''));
        await this.press('Enter');
    }

    async click(selector) {
        this.clicks += 1;
        await this.page.click(selector);
    }

    focus() {
        return this.page.run('document.querySelector(".plan-list").focus()');
    }

    /** The rows in sight from top to bottom: a dot for each level, then the name. */
    rows() {
        return this.page.run(`
            await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
            const place = row => Number(row.getAttribute('aria-rowindex'));
            const dots = row => '·'.repeat(row.getAttribute('aria-level') - 1);
            return [...document.querySelectorAll('.plan-rows .plan-row:not([hidden])')]
                .sort((one, other) => place(one) - place(other))
                .map(row => dots(row) + row.querySelector('.plan-name').textContent)`);
    }

    /** Waits until the rows are these. */
    async has(expected) {
        let found;
        for (let attempt = 0; attempt < 300; attempt += 1) {
            found = await this.rows();
            if (found.join('\n') === expected.join('\n')) return;
        }
        throw new Error(`The rows are\n${found.join('\n')}\nand not\n${expected.join('\n')}`);
    }

    /** Makes a cell the active one, as a click does. */
    async at(name, column) {
        await this.page.until(`
            const row = [...document.querySelectorAll('.plan-rows .plan-row:not([hidden])')]
                .find(each => each.querySelector('.plan-name').textContent === ${JSON.stringify(name)});
            row?.querySelector('.${column}').click();
            return row !== undefined`, `the row ${name}`);
        await this.focus();
    }

    /** The text of the active cell. */
    active() {
        return this.page.run(`
            await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
            const id = document.querySelector('.plan-list').getAttribute('aria-activedescendant');
            return document.getElementById(id)?.textContent ?? null`);
    }

    /** Waits until a cell says this. */
    says(name, column, text) {
        return this.page.until(`
            const row = [...document.querySelectorAll('.plan-rows .plan-row:not([hidden])')]
                .find(each => each.querySelector('.plan-name').textContent === ${JSON.stringify(name)});
            return row?.querySelector('.${column}').textContent === ${JSON.stringify(text)}`,
        `${column} of ${name} is ${text}`);
    }

    /** The choice of a menu that is open. */
    choose(text) {
        this.clicks += 1;
        return this.page.until(`
            const item = [...document.querySelectorAll('[role=menuitem]')]
                .find(each => each.firstChild.textContent === ${JSON.stringify(text)});
            item?.click();
            return item !== undefined`, `the menu has ${text}`);
    }
}
