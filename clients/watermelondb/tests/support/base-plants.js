// Mistakes that the random runs of bases must catch, each with a mix of what happens that brings it out. They are
// planted by replacing methods; `plant` returns what undoes it.
import { Bases } from '../../lib/bases.js';
import { Pull } from '../../lib/pull.js';
import { replacing } from './catching.js';

const mapped = (edits, change) =>
    edits.map(edit => (edit.kind === 'deleted' ? edit : { ...edit, row: change(edit.row) }));

export const PLANTS = {
    'the watermark is the base': {
        mix: {},
        plant: replacing(Bases, 'stamped', () => async edits => edits),
    },

    'the new version is noted instead of the old': {
        mix: {},
        plant: replacing(Bases, '_after', original => function (collection, row, remote, own) {
            const version = remote?.server_version ?? row.server_version;
            return original.call(this, collection, { ...row, server_version: version }, remote, own);
        }),
    },

    'each pull is a new base': {
        mix: {},
        plant: replacing(Bases, '_after', original => function (collection, row, remote, own) {
            return original.call(this, collection, row, remote, remote ? undefined : own);
        }),
    },

    'the oldest base is that of all columns': {
        mix: {},
        plant: replacing(Bases, 'stamped', original => async function (edits) {
            const only = ({ base_versions: others, ...row }) => row;
            return mapped(await original.call(this, edits), only);
        }),
    },

    'a column without a note has the row\'s oldest base': {
        mix: {},
        plant: replacing(Bases, 'stamped', original => async function (edits) {
            const unversioned = mapped(edits, ({ server_version: version, ...row }) => row);
            const stamped = await original.call(this, unversioned);
            return stamped.map((edit, index) => ({ ...edit, row: { ...edits[index].row, ...edit.row } }));
        }),
    },

    'bases are not stored': {
        mix: { restarts: 0.5 },
        plant: replacing(Bases, '_save', () => async function (rows) {
            this._rows = rows;
        }),
    },

    'bases are stored only after the pull': {
        mix: { between: 0.4 },
        plant: replacing(Bases, 'update', original => function (read, pulled) {
            return pulled ? undefined : original.call(this, read);
        }),
    },

    'what is edited while the pull is handed over is not noted': {
        mix: { late: 0.5 },
        plant: replacing(Bases, '_find', () => () => {}),
    },

    'a settled edit leaves its base': {
        mix: {},
        plant: replacing(Bases, 'keep', original => async function (edits, pulled) {
            const before = await this._load();
            await original.call(this, edits, pulled);
            await this._save({ ...before, ...this._rows });
        }),
    },

    'a column that was answered leaves its base': {
        mix: { unknown: 0.3, between: 0.3 },
        plant: replacing(Bases, '_after', original => function (...args) {
            return original.call({ _isLost: this._isLost, withheld: { taken: () => [] } }, ...args);
        }),
    },

    'a row that stays unsent loses its bases': {
        mix: { kept: 0.5 },
        plant: replacing(Bases, 'update', original => async function (read, pulled) {
            await original.call(this, read, pulled);
            if (!pulled) await this.forget();
        }),
    },

    'versions of a lost history are bases': {
        mix: { restores: 0.3 },
        plant: replacing(Pull, 'latest', original => function (args, signal) {
            const bases = { lose() {} };
            return original.call(Object.setPrototypeOf({ bases }, this), args, signal);
        }),
    },
};
