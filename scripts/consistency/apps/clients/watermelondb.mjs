// A phone with the adapter for WatermelonDB and its stand-in. The app can die at any step, and the process at any
// moment: all that a phone would store is stored when the stand-in writes. Called by `node.py`; see `lines.mjs`.
//
// | command | answer |
// |---|---|
// | `sync` | `{}` |
// | `other` | `{}`. The app starts anew, and syncs |
// | `edit`: `edits`, each `{ collection, id, insert or update or delete }` | `{ done }`: whether each was made |
// | `look`: `collections` | `{ settled, unsent, aside: [id], rows: [row], errors }`: what the real client would have logged |
// | `die`: `within`, a number of steps | `{}`. At the step with that number the app dies, and starts anew |
import { createSync } from '../../../../clients/watermelondb/index.js';
import { NEW } from '../../../../clients/watermelondb/tests/support/rows.js';
import { Database } from '../../../../clients/watermelondb/tests/support/standin.js';
import { synchronize } from '../../../../clients/watermelondb/tests/support/synchronize.js';
import { loaded, save } from './disk.mjs';
import { despite, never, serve } from './lines.mjs';

const [url, token, project, pageSize, file] = process.argv.slice(2);
const LOST = ['not_a_member', 'membership_revoked', 'project_deleted'];

/** The phone's disk: the database, the adapter's storage, and the number that the app has noted. */
class Disk extends Database {
    values = new Map();
    settled = null;

    constructor(former) {
        super();
        if (!former) return;
        for (const [name, rows] of former.tables) for (const [id, row] of rows) this.table(name).set(id, row);
        if (former.lastPulledAt) super.lastPulledAt = former.lastPulledAt;
        Object.assign(this, { values: former.values, settled: former.settled, pulledVersion: former.pulledVersion });
    }

    save() {
        const { values, settled, pulledVersion, lastPulledAt } = this;
        save(file, { tables: this.tables(), lastPulledAt, values, settled, pulledVersion });
    }

    get lastPulledAt() {
        return super.lastPulledAt;
    }

    set lastPulledAt(value) {
        super.lastPulledAt = value;
        this.save();
    }

    markSynced(...changes) {
        super.markSynced(...changes);
        this.save();
    }

    reset() {
        super.reset();
        this.settled = null;
        this.save();
    }

    edit({ collection, id, insert, update }) {
        if (insert) this.create(collection, { ...NEW[collection], ...insert, id });
        else if (update) this.update(collection, id, update);
        else this.remove(collection, id);
        this.save();
    }
}

/** The app from its start to its death. From then on nothing that it waits for ever comes. */
class App {
    isDead = false;
    _left = Infinity;

    constructor(disk) {
        this.disk = disk;
        this.died = new Promise(resolve => { this._onDeath = resolve; });
        const { values } = disk;
        const stored = async work => {
            await this.step();
            return work();
        };
        const changed = work => stored(() => {
            work();
            disk.save();
        });
        this.adapter = createSync({
            url, ...(project ? { project } : {}), token, pageSize: Number(pageSize), timeout: 10_000,
            retry: { attempts: 2 }, wait: async () => {}, fetch: (...request) => this._fetch(...request),
            storage: {
                get: key => stored(() => values.get(key) ?? null),
                set: (key, value) => changed(() => values.set(key, value)),
                remove: key => changed(() => values.delete(key)),
            },
        });
    }

    dieWithin(steps) {
        this._left = steps;
    }

    isKilled() {
        if (--this._left <= 0 && !this.isDead) {
            this.isDead = true;
            this._onDeath();
        }
        return this.isDead;
    }

    async sync() {
        const { disk, adapter } = this;
        // Between the two writes of a pull.
        disk.isKilled = () => this.isKilled();
        const onDidPullChanges = ({ timestamp, settled = true }) => {
            disk.settled = settled ? timestamp : null;
            disk.save();
        };
        try {
            await adapter.sync({ synchronize, database: disk, migrationsEnabledAtVersion: 1, onDidPullChanges });
        } catch (error) {
            if (this.isDead) await never();
            if (project && LOST.includes(error.code)) await adapter.forget(() => disk.reset());
            throw error;
        }
    }

    async _fetch(...request) {
        await this.step();
        const answer = await fetch(...request);
        await this.step();
        return answer;
    }

    step() {
        return this.isKilled() ? never() : undefined;
    }
}

const disk = new Disk(loaded(file));
let app = new App(disk);

async function started() {
    if (app.isDead) {
        disk.restart();
        app = new App(disk);
    }
    return { died: app.died, value: app };
}

const inApp = work => despite(started, work);

function look(collections) {
    const rows = collections.flatMap(name => [...disk.rows(name).values()]);
    const unsent = [...disk.tables().values()].flatMap(table => [...table.values()])
        .filter(row => row._status !== 'synced').length;
    return { settled: disk.settled, unsent, aside: [], errors: disk.errors.splice(0), rows };
}

await serve({
    sync: () => inApp(app => app.sync()),
    other: () => {
        app.dieWithin(0);
        app.isKilled();
        return inApp(app => app.sync());
    },
    edit: ({ edits }) => {
        for (const each of edits) disk.edit(each);
        return { done: edits.map(() => true) };
    },
    look: ({ collections }) => look(collections),
    die: ({ within }) => { app.dieWithin(within); },
});
