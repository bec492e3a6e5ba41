// A tab with the console that may be closed, crash, or go with its browser at any moment.
import { ACTS } from './structure.js';

/** What a tab's promises become when it is gone. */
export const DEAD = Symbol('dead');

/** How long a window may take to be there, in milliseconds: the machine may have much else to do. */
const LONGEST = 60_000;

/** A seed that says nothing of the copy: a window was not there in time, or the seed has not ended. */
export class Stuck extends Error {}

export class Tab {
    isDead = false;
    /** Whether its network is cut, and not that of others. */
    isOffline = false;
    /**
     * Told of each edit, as soon as the page has it: `{ number, outcome }`, and before a turn `{ number, intent }`, what
     * the undo or redo is going to write, with `{ number, outcome, report }` after it.
     */
    onOutcome = () => {};

    /** `whenGone(target)` resolves when the browser has no such tab any more. */
    constructor(page, whenGone) {
        Object.assign(this, { page, whenGone });
        this.died = new Promise(resolve => { this._die = resolve; });
        page.tools.listen(page.session, (method, params) => {
            if (method === 'Runtime.bindingCalled') this.onOutcome(JSON.parse(params.payload));
            else page._note(method, params);
        });
    }

    dead() {
        this.isDead = true;
        this._die(DEAD);
    }

    /** Does something with the page. Resolves to `DEAD` if the tab dies meanwhile. */
    alive(work) {
        if (this.isDead) return DEAD;
        const done = work(this.page).catch(error => {
            if (this.isDead) return DEAD;
            throw error;
        });
        return Promise.race([done, this.died]);
    }

    run(script) {
        return this.alive(page => page.run(script));
    }

    /** Opens a page of the console. It is there without a network, too, once its files are kept. */
    async open(url) {
        return this.alive(async page => {
            await page.send('Runtime.addBinding', { name: 'outcome' });
            await page.open(url);
            await this.shows('.sign-in, .top');
        });
    }

    /** Waits until the page has this. */
    shows(selector) {
        return this.page.has(selector, LONGEST).catch(async error => {
            const text = await this.page.run('return document.body.innerText.slice(0, 400)');
            throw new Stuck(`${error.message}. The page says: ${text}\n${this.page.troubles.join('\n')}`);
        });
    }

    /** Loads the page again. Returns the tab that it is from then on. */
    async reload() {
        this.dead();
        const next = new Tab(this.page, this.whenGone);
        next.isOffline = this.isOffline;
        await next.alive(async page => {
            const loaded = new Promise(resolve => { page._loaded = resolve; });
            await page.send('Page.reload');
            await loaded;
            await next.shows('.sign-in, .top');
        });
        return next;
    }

    /** Makes the console's own copy reachable, as `campaign` in the page. */
    async reach() {
        return this.alive(async page => {
            const { objectId } = await found(page);
            await page.send('Runtime.callFunctionOn', {
                objectId, functionDeclaration: `async function() { ${SCRIPT} }`, awaitPromise: true,
            });
        });
    }

    /** `how` is `close` or `crash`. */
    async kill(how) {
        const { page } = this;
        this.dead();
        const gone = this.whenGone(page.target);
        if (how === 'close') await page.close();
        else {
            page.send('Page.crash').catch(() => {});
            await gone;
            await page.close();
        }
        await gone;
    }
}

/** The list of the contexts that the console has made: one. */
async function found(page) {
    const expression = 'import("/console/lib/shell/context.js").then(({ Context }) => Context.prototype)';
    for (let attempt = 0; attempt < 200; attempt += 1) {
        const { result } = await page.send('Runtime.evaluate', { expression, awaitPromise: true });
        const { objects } = await page.send('Runtime.queryObjects', { prototypeObjectId: result.objectId });
        if (/\(1\)/.test(objects.description)) return objects;
        await new Promise(resolve => setTimeout(resolve, 50));
    }
    throw new Stuck('The page has no copy.');
}

/** Runs in the page. `this` is the list. Edits go the way of the console's tables. */
const SCRIPT = `
    const { catalogOf } = await import('/console/lib/data/catalog.js');
    const { tidemark, edits } = this[0];
    const tell = what => outcome(JSON.stringify(what));
    const intent = (act, turn, id) => {
        const { collection, insert, before, after } = act;
        if (!insert) return { collection, id: act.id, values: turn === 'undo' ? before : after };
        return turn === 'undo' ? { collection, id: act.id, do: 'delete' } : { collection, id, do: 'insert', row: insert };
    };
    /** The ids of rows that are made again, the first one as it is. */
    const idsFrom = id => {
        let count = 0;
        return () => (count += 1) === 1 ? id : id + '-' + count;
    };
    const acts = {
        async save({ collection, id, field, value }) {
            const row = await tidemark.row(collection, id);
            if (row === null) return 'gone';
            const found = (await catalogOf(tidemark)).collection(collection);
            const { meanwhile } = await edits.save(found, id, found.field(field), row[field] ?? null, value);
            return meanwhile ? 'meanwhile' : 'stored';
        },
        async insert({ collection, row }) {
            await edits.apply({ name: 'Add', changes: [{ collection, id: row.id, insert: row }] });
            return 'stored';
        },
        async turn({ number, turn, id }) {
            const step = (turn === 'undo' ? edits._done : edits._undone).at(-1);
            if (!step) return 'nothing';
            const nextID = idsFrom(id);
            edits.tidemark.newID = idsFrom(id);
            tell({ number, intent: step.acts.map(act => intent(act, turn, act.insert ? nextID() : id)) });
            const report = await edits[turn]();
            tell({ number, report: { rows: report.rows, left: report.left } });
            return 'turned';
        },
        async delete({ collection, id }) {
            await tidemark.delete(collection, id);
            return 'stored';
        },
    };
    ${ACTS}
    const request = asked => new Promise((resolve, reject) => {
        asked.onsuccess = () => resolve(asked.result);
        asked.onerror = () => reject(asked.error);
    });
    globalThis.campaign = {
        tidemark, live: {},
        async edit(list) {
            for (const edit of list) {
                const done = await acts[edit.do](edit).catch(error => error.code ?? String(error.stack));
                tell({ number: edit.number, outcome: done });
            }
        },
        async rows(names) {
            const lists = await Promise.all(names.map(async name => [name, await tidemark.rows(name)]));
            return Object.fromEntries(lists);
        },
        follow(names) {
            for (const name of names) tidemark.live(name, {}, rows => { this.live[name] = rows; });
        },
        /** What is on the disk, without the code of the copy. */
        async disk() {
            const name = (await indexedDB.databases()).find(each => each.name.startsWith('tidemark ')).name;
            const db = await request(indexedDB.open(name));
            const stores = db.transaction([...db.objectStoreNames], 'readonly');
            const [rows, batches] = await Promise.all(['rows', 'batches'].map(each =>
                request(stores.objectStore(each).getAll())));
            db.close();
            return { rows, waiting: batches.filter(({ answer }) => answer === null).length };
        },
    };`;
