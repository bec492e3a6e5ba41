// Mistakes that the random runs of files must catch, each with a mix of what happens that brings it out. They are planted
// by replacing methods; `plant` returns what undoes it.
import { FileSender } from '../../lib/common/files/sender.js';
import { Download } from '../../lib/files/download.js';
import { Files } from '../../lib/files/files.js';
import { Shelf } from '../../lib/files/shelf.js';
import { replacing } from './catching.js';

export const PLANTS = {
    'an entry is in memory only': {
        options: { mix: { restarts: 0.4 } },
        plant: replacing(Shelf, 'put', () => async function (entry) {
            this._entries.set(entry.id, entry);
            return entry;
        }),
    },

    'the index is written last': {
        options: { mix: { kills: 0.05 } },
        plant: replacing(Shelf, 'put', () => async function (entry) {
            await this.storage.set(this._key(entry.id), JSON.stringify(entry));
            this._entries.set(entry.id, entry);
            await this._saveIndex([...this._entries.keys()]);
            return entry;
        }),
    },

    'a file is acknowledged before its entry is stored': {
        options: { mix: { ends: 0.5 } },
        plant: replacing(Files, '_added', original => async function (...args) {
            setImmediate(() => original.apply(this, args).catch(() => {}));
        }),
    },

    'the same bytes are two entries': {
        options: { mix: {} },
        plant: replacing(Files, '_added', original => function (...args) {
            const shelf = Object.create(this.shelf, { find: { value: () => null } });
            return original.apply(Object.create(this, { shelf: { value: shelf } }), args);
        }),
    },

    'nothing is swept': {
        options: { mix: { kills: 0.03 } },
        plant: replacing(Shelf, '_sweep', () => async () => {}),
    },

    'the sweep takes what waits': {
        options: { mix: { restarts: 0.4 } },
        plant: replacing(Shelf, '_sweep', () => async function () {
            for (const name of await this._names()) {
                const entry = this.entries.find(({ file }) => file === name);
                if (entry?.state !== 'stored') await this.discard(name);
            }
        }),
    },

    'everything is a cache': {
        options: { mix: { requests: 0.2 }, cacheBytes: 300_000 },
        plant: replacing(Shelf, '_isCached', () => () => true),
    },

    'own bytes are a cache before a row says that they are stored': {
        options: { mix: { restores: 0.3, rows: 1 }, cacheBytes: 0 },
        plant: replacing(Shelf, '_isCached', () => ({ state }) => state === 'stored'),
    },

    'an upload begins anew after each break': {
        options: { mix: { answers: 0.3 } },
        plant: replacing(FileSender, '_look', () => function (entry) {
            return this._forget(entry);
        }),
    },

    'a row that was stored and is pending is not heard': {
        options: { mix: { restores: 0.3, rows: 1 } },
        plant: replacing(Files, '_heard', original => function (said, began) {
            return original.call(this, said.filter(({ state }) => state === 'stored'), began);
        }),
    },

    'a download is not checked': {
        options: { mix: { garbled: 0.5, restores: 0, rows: 1 }, cacheBytes: 0 },
        plant: replacing(Download, '_check', () => async () => {}),
    },

    'a file that is removed is sent': {
        options: { mix: { removes: 0.9, restarts: 0.3, requests: 0.3 } },
        plant: replacing(Files, 'remove', () => async () => {}),
    },

    'forget() leaves the files': {
        options: { mix: {} },
        plant: replacing(Files, 'forget', () => async () => {}),
    },
};
