// Mistakes with the bases of edits that the random runs must catch.
import { seenAt } from '../../lib/rows/record.js';
import { Replica } from '../../lib/store/replica.js';
import { settle } from '../../lib/store/settle.js';
import { changing, replacing } from './plants.js';

const { _edit, _writeIfStill } = Replica.prototype;

/** Changes the rows that an answer writes, an edit, or a page. */
const ofAnswers = change => replacing(Replica, 'settle', function settled(batch, answer) {
    return this._write(unit => {
        changing(unit, change);
        return settle(unit, batch, answer);
    });
});
const ofEdits = change => replacing(Replica, '_edit', function edit(work) {
    return _edit.call(this, unit => {
        changing(unit, change);
        return work(unit);
    });
});
const ofPages = change => replacing(Replica, '_writeIfStill', function write(known, work) {
    return _writeIfStill.call(this, known, unit => {
        changing(unit, change);
        return work(unit);
    });
});

/** The row with one base for all of its fields. */
const basedOn = (record, edited) => ({ ...record, _base: record._base && { ...record._base, edited, bases: {} } });

export const PLANTS = {
    'a base is moved by an answer': ofAnswers(record => seenAt(record, record.server_version)),

    'a base is moved by an answer to an earlier edit': ofAnswers(record => basedOn(record, record.server_version)),

    'a base is moved by a pull': ofPages(record => basedOn(record, record.server_version)),

    'a row has one base for all fields': ofEdits(record => basedOn(record, record._base?.edited)),

    'the watermark is the base': ofEdits(record => basedOn(record, 0)),

    'an edit of what was made here has the base of the drain that brings it': ofPages((record, before) =>
        (before?._drain === 0 ? basedOn(record, record.server_version) : record)),

    'a client merges, too': ofPages((record, before) => {
        if (!before?._base || !record._base || !record._changed.includes('hits')) return record;
        const { hits } = record.values;
        const more = record._base.values.hits - before._base.values.hits;
        return { ...record, values: { ...record.values, hits: hits + more } };
    }),
};
