// What a device with the web client does with its open copy, on Node and in a browser.

/** All that an app can read at one moment: see `web.mjs`. */
export async function look(copy, collections) {
    const { _replica: replica } = copy;
    const { settled, refused } = await replica.status();
    const rows = [];
    for (const name of collections) rows.push(...await copy.rows(name));
    const isHeld = ({ collection, id }) => refused.some(each => each.collection === collection && each.id === id);
    const unsent = (await copy.unsent()).filter(row => !isHeld(row));
    const aside = [...await copy.setAside(), ...refused].map(({ id }) => id);
    return { settled, unsent: unsent.length, aside, rows };
}

/** What an edit that is done again meets, if the tab died after it was stored. */
const STORED = ['row_exists', 'unknown_row'];

/** Whether each edit was made. With `isAgain`, they may have been made before. */
export async function edited(copy, edits, isAgain) {
    const results = await copy.edit(edits);
    return { done: results.map(({ error }) => error === null || (isAgain && STORED.includes(error.code))) };
}
