/**
 * What the deletion of rows, `{ collection, id }`, takes along, from the rows of the project that are here:
 * `rowsOf(collection)` is a Map of rows by id. Returns `{ goes, cleared, blockers, gone }`. The first three are Maps of
 * numbers of rows by collection: rows that go too, rows that lose the reference, and rows because of which the server
 * would refuse. `gone` has `collection id` of each row that goes.
 */
export function cascadeOf(catalog, rowsOf, rows) {
    const gone = new Set(rows.map(({ collection, id }) => keyOf(collection, id)));
    const links = new Links(catalog, rowsOf);
    const touched = [];
    for (const pending = [...rows]; pending.length > 0;) {
        for (const link of links.to(pending.pop())) {
            const key = keyOf(link.collection, link.id);
            if (link.onDelete !== 'cascade') touched.push({ ...link, key });
            else if (!gone.has(key)) {
                gone.add(key);
                pending.push(link);
            }
        }
    }
    const left = touched.filter(({ key }) => !gone.has(key));
    return {
        gone,
        goes: numbers([...gone].slice(rows.length).map(key => key.split(' ')[0])),
        cleared: numbers(distinct(left.filter(({ onDelete }) => onDelete === 'clear'))),
        blockers: numbers(distinct(left.filter(({ onDelete }) => onDelete === 'restrict'))),
    };
}

/** Who refers to a row. Each collection is read once, whatever the number of rows that go. */
class Links {
    _byTarget = new Map();

    constructor(catalog, rowsOf) {
        Object.assign(this, { catalog, rowsOf });
    }

    to({ collection, id }) {
        if (!this._byTarget.has(collection)) this._byTarget.set(collection, this._read(collection));
        return this._byTarget.get(collection).get(id) ?? [];
    }

    _read(target) {
        const found = new Map();
        for (const { collection, field } of this.catalog.referringTo(target)) {
            for (const row of this.rowsOf(collection.name)?.values() ?? []) {
                for (const id of [row[field.name] ?? []].flat()) {
                    if (!found.has(id)) found.set(id, []);
                    found.get(id).push({ collection: collection.name, id: row.id, onDelete: field.onDelete });
                }
            }
        }
        return found;
    }
}

const keyOf = (collection, id) => `${collection} ${id}`;
const distinct = links => [...new Set(links.map(({ key }) => key))].map(key => key.split(' ')[0]);

function numbers(collections) {
    const counts = new Map();
    for (const name of collections) counts.set(name, (counts.get(name) ?? 0) + 1);
    return counts;
}
