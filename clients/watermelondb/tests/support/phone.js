import { createSync, memoryStorage } from '../../index.js';
import { Database } from './standin.js';
import { synchronize } from './synchronize.js';

/** An app with a database and the adapter, connected to a real server. */
export class Phone {
    /**
     * Called before (`onRequest`) and after (`onAnswer`) each request. An error thrown by one of them is a broken
     * connection, and a `Response` that `onRequest` returns is the answer.
     */
    onRequest = null;
    onAnswer = null;
    requests = [];
    reports = [];

    /** Without a project, the phone has all of them. */
    constructor(server, project, token, { schema = null, migrations = null, version = 1, ...options } = {}) {
        this.database = new Database({ schema, migrations, version });
        this.adapter = createSync({
            url: server.url, ...(project === undefined ? {} : { project }), token, storage: memoryStorage(),
            fetch: (address, init) => this.#fetch(address, init),
            retry: { attempts: 3 }, wait: async () => {}, onReport: report => this.reports.push(report), ...options,
        });
    }

    async #fetch(address, init) {
        const instead = await this.onRequest?.(init, address);
        const response = instead instanceof Response ? instead : await fetch(address, init);
        this.requests.push({ method: init.method, status: response.status, address, body: init.body });
        await this.onAnswer?.(init, response);
        return response;
    }

    sync(options = {}) {
        return this.adapter.sync({ synchronize, database: this.database, migrationsEnabledAtVersion: 1, ...options });
    }

    /** A text that is equal for equal rows of a collection. */
    snapshot(name) {
        const rows = this.database.synced(name).map(row => Object.fromEntries(Object.entries(row).sort()));
        return JSON.stringify(rows.sort((a, b) => (a.id < b.id ? -1 : 1)));
    }

    task(id) {
        return this.database.rows('tasks').get(id);
    }
}
