// Two windows of a browser and a phone of one user, everything that can go wrong between them and the server, and what
// must hold in the end.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { BINARY, ENVIRONMENT } from '../../../watermelondb/tests/support/server.js';
import { generator } from '../../../web/tests/support/random.js';
import { Desktop } from './desktop.js';
import { Ending } from './ending.js';
import { Handset } from './handset.js';
import { Ledger } from './ledger.js';
import { Road } from './road.js';
import { COLLECTIONS, FIELDS, REFERENCES, newRow, valueOf } from './rows.js';
import { Structure } from './structure.js';
import { DEAD, Stuck } from './tab.js';

const PASSWORD = 'correct horse battery';
/** How often what happens, of all steps. */
const STEPS = 'eeeeeeettppppppmmkkkkcnnoouuuxx';
/** What an edit in the browser may come to, besides that it is stored. A person is told of each. */
const TOLD = [
    'gone', 'meanwhile', 'deleted', 'unknown_row', 'row_exists', 'unknown_project', 'closed', 'nothing', 'turned',
    'moved',
];
/** Why an undo or redo leaves something: never because the copy does not take it. */
const LEFT = ['changed', 'gone', 'refused', 'used', 'hidden', 'deleted'];

const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

export class Campaign {
    ledger = new Ledger();
    counts = {
        typed: 0, phone: 0, closed: 0, crashed: 0, reloaded: 0, browsers: 0, cuts: 0, tabCuts: 0, restarts: 0,
        setAside: 0, refused: 0, turns: 0, left: 0, elsewhere: 0,
    };

    /** `plant` is a mistake of plants.js, `mix` how often what happens. A seed decides what is done; when it happens, the machine decides as well. */
    constructor(seed, { server, plant = null, mix = STEPS, steps = 30, name = 'ada' }) {
        Object.assign(this, { seed, server, plant, mix, steps, name, project: 'boat' });
        this.random = generator(seed);
        this.structure = new Structure(this);
    }

    async run() {
        await this.begin();
        for (let step = 0; step < this.steps; step += 1) await this.step();
        await new Ending(this).check();
        if (this._failure) throw this._failure;
    }

    async stop() {
        await this.desktop?.stop();
        this.road?.stop();
    }

    below(limit) {
        return Math.floor(this.random() * limit);
    }

    pick(list) {
        return list[this.below(list.length)];
    }

    nextID() {
        this._ids = (this._ids ?? 0) + 1;
        return `r-${this._ids}`;
    }

    label = what => `${what}, seed ${this.seed}, ${JSON.stringify(this.figures)}`;

    /** What has happened, in numbers. */
    get figures() {
        const { counts, road, handset, ledger } = this;
        return {
            ...counts, edits: ledger.edits.length, lost: road.lost + handset.lost, uploads: road.uploads.count,
            repeated: road.uploads.repeated, cut: ledger.count(({ outcome }) => outcome === null),
        };
    }

    get(path) {
        return this.server.api(this.token, 'GET', path);
    }

    // The beginning.

    async begin() {
        const { server, name, project } = this;
        spawnSync(BINARY, ['user', 'add', name, '--password-stdin', '--database', server.database],
            { env: ENVIRONMENT, input: `${PASSWORD}\n` });
        this.token = await server.command('token', 'create', '--user', name);
        await server.api(this.token, 'POST', '/projects/', { id: project, name: 'Boat', start_date: '2026-01-05' });
        for (let task = 0; task < 8; task += 1) {
            // Two have one place together.
            const rank = task < 2 ? { rank: 'Q' } : {};
            await server.task(this.token, project, { id: this.nextID(), name: `Task ${task}`, ...rank });
        }
        await this._beginPhone();
        await this._beginBrowser().catch(error => { throw new Stuck(error.message); });
    }

    async _beginPhone() {
        const { server, project, ledger } = this;
        this.handset = new Handset({
            server, project, ledger, random: generator(this.seed + 1000), nextID: () => this.nextID(),
            token: await server.command('token', 'create', '--user', this.name),
            schema: await server.schema(this.token),
        });
    }

    async _beginBrowser() {
        this.road = await Road.start(this.server);
        Object.assign(this.road, { isNoisy: false, random: generator(this.seed + 2000) });
        if (this.plant) this.road.planted = new Map(Object.entries(this.plant));
        this.desktop = new Desktop();
        await this.desktop.start();
        this.windows = [null, null];
        const first = await this.desktop.tab(this._address(0));
        await this._signIn(first.page);
        const isKept = 'return (await navigator.serviceWorker.ready).active.state === "activated"';
        await first.page.until(isKept, 'the worker', 60_000);
        this.windows[0] = await this._reached(first);
        await this._reopen();
        this.road.isNoisy = true;
    }

    async _signIn(page) {
        await page.fill('input[name=username]', this.name);
        await page.fill('input[name=password]', PASSWORD);
        await page.press('Enter');
        await page.has('.top', 60_000);
        await page.until('return document.querySelector(".sync-text")?.textContent === "In sync"', 'in sync', 60_000);
    }

    /** One window shows a table, the other one the plan. */
    _address(place) {
        return `${this.road.url}#/plan/${this.project}${place === 0 ? '/tasks' : ''}`;
    }

    /** Opens the windows that are not there. */
    async _reopen() {
        for (const place of [0, 1]) {
            if (this.windows[place]?.isDead === false) continue;
            this.windows[place] = await this._reached(await this.desktop.tab(this._address(place)));
        }
    }

    async _reached(tab) {
        tab.onOutcome = message => this._heard(message);
        await tab.reach();
        await tab.run(`campaign.follow(${JSON.stringify(COLLECTIONS)})`);
        return tab;
    }

    /** The page tells at any moment; the next step fails by what is wrong. */
    _heard(message) {
        try {
            this._take(message);
        } catch (error) {
            this._failure ??= error;
        }
    }

    _take({ number, outcome, intent, report }) {
        if (intent) this.ledger.intended(this.ledger.edits[number], intent.map(each => this._write(each)));
        else if (report) this._turned(this.ledger.edits[number], report);
        else this._answered(number, outcome);
    }

    /** What a turn is going to write, as the ledger has it. */
    _write({ collection, id, do: act = 'save', values = {}, row }) {
        if (act !== 'insert') return { do: act, collection, id, values };
        const { both: [field] } = FIELDS[collection];
        const references = (REFERENCES[collection] ?? []).map(name => row[name]).filter(Boolean);
        return { do: act, collection, id, values: { [field]: row[field] }, references };
    }

    _turned(turn, { rows, left }) {
        this.counts.turns += 1;
        this.counts.left += left.length;
        const unknown = left.filter(({ why }) => !LEFT.includes(why));
        assert.deepEqual(unknown, [], this.label(`a turn left ${JSON.stringify(unknown)}`));
        this.ledger.turned(turn, ({ do: act, id, values }) => rows.some(row => row.id === id
            && (act !== 'save' || Object.keys(values).every(name => row.fields.includes(name)))));
    }

    _answered(number, outcome) {
        assert.ok(outcome === 'stored' || TOLD.includes(outcome), this.label(`an edit ended with ${outcome}`));
        this.ledger.answered(number, outcome);
    }

    // What happens.

    async step() {
        if (this._failure) throw this._failure;
        await pause(this.below(4) === 0 ? this.below(300) : 0);
        switch (this.pick(this.mix)) {
            case 'e': return this._edit();
            case 't': return this._type();
            case 'm': return this.structure.moveElsewhere();
            case 'k': return this._kill();
            case 'c': return this._restart();
            case 'n': return this._network();
            case 'o': return this._reopen();
            case 'u': return this._turn();
            case 'x': return this._cross();
            default: return this._phone();
        }
    }

    _phone() {
        for (let edits = this.below(4); edits > 0; edits -= 1) {
            this.counts.phone += 1;
            this.handset.edit();
        }
        return this.handset.sync();
    }

    /** One of the windows that are open; one is opened if there is none. */
    async _window() {
        const open = this.windows.filter(window => window?.isDead === false);
        if (open.length === 0) await this._reopen();
        return open.length > 0 ? this.pick(open) : this.windows[this.below(2)];
    }

    /** Some edits, one after the other. One of three times a window dies meanwhile, or right after. */
    async _edit() {
        const window = await this._window();
        const known = await window.run(`return campaign.rows(${JSON.stringify(COLLECTIONS)})`);
        if (known === DEAD) return;
        const edits = Array.from({ length: 1 + this.below(8) }, () => this._one(known)).filter(Boolean);
        const done = window.run(`return campaign.edit(${JSON.stringify(edits)})`);
        if (this.below(3) === 0) {
            await pause(this.below(2) * this.below(60));
            await this._kill(window);
        }
        await done;
    }

    /** Undo or redo, by the edits of one window. One of six times the window dies meanwhile. */
    async _turn(window = null, turn = this.below(3) > 0 ? 'undo' : 'redo') {
        const chosen = window ?? await this._window();
        const edit = this.ledger.begin('browser', { do: 'turn', turn, id: this.nextID(), values: {} });
        const done = chosen.run(`return campaign.edit(${JSON.stringify([edit])})`);
        if (this.below(6) === 0) {
            await pause(this.below(60));
            await this._kill(chosen);
        }
        await done;
    }

    /** The phone writes over an edit, which is then taken back; a new row is taken back, and made again. */
    async _cross() {
        const window = await this._window();
        const known = await window.run('return campaign.rows(["tasks"])');
        if (known === DEAD || known.tasks.length === 0) return;
        const { id } = this.pick(known.tasks);
        if (this.below(3) === 0) return this._again(window, known.tasks.map(each => each.id));
        const value = valueOf('name', 'browser', this.ledger.edits.length);
        const save = { do: 'save', collection: 'tasks', id, field: 'name', value, values: { name: value } };
        await window.run(`return campaign.edit(${JSON.stringify([this.ledger.begin('browser', save)])})`);
        await this._sent(window);
        await this.handset.sync();
        this.handset.overwrite('tasks', id, 'name');
        await this.handset.sync();
        await this._soon(window, `(await campaign.tidemark.row('tasks', '${id}'))?.name !== '${value}'`);
        return this._turn(window, 'undo');
    }

    async _again(window, tasks) {
        await window.run(`return campaign.edit(${JSON.stringify([this._insert('tasks', tasks)])})`);
        for (const turn of ['undo', 'redo', 'undo', 'redo']) {
            await this._sent(window);
            await this._turn(window, turn);
        }
    }

    _sent(window) {
        return this._soon(window, 'campaign.tidemark.state.unsent === 0');
    }

    /** Waits a little: with the network cut, it is not going to be so. */
    async _soon(window, condition) {
        for (let attempt = 0; attempt < 20; attempt += 1) {
            if ([true, DEAD].includes(await window.run(`return ${condition}`))) return;
            await pause(20);
        }
    }

    _one(known) {
        const collection = this.pick(COLLECTIONS);
        const rows = known[collection];
        const act = this.random();
        if (act < .25 || rows.length === 0) return this._insert(collection, known.tasks.map(({ id }) => id));
        const { id } = this.pick(rows);
        if (act < .33) return this.ledger.begin('browser', { do: 'delete', collection, id });
        if (collection === 'tasks' && act < .45) return this.structure.paste(rows);
        if (collection === 'tasks' && act < .8) return this.structure.move(rows);
        const field = this.pick([...FIELDS[collection].both, ...FIELDS[collection].browser]);
        const value = valueOf(field, 'browser', this.ledger.edits.length);
        return this.ledger.begin('browser', { do: 'save', collection, id, field, value, values: { [field]: value } });
    }

    _insert(collection, tasks) {
        const { both: [field] } = FIELDS[collection];
        const [id, value] = [this.nextID(), valueOf(field, 'browser', this.ledger.edits.length)];
        const made = newRow(collection, { id, tasks, random: this.random, value });
        if (!made) return null;
        // A phone writes lists as texts.
        const entries = Object.entries(made.row).map(([name, each]) => [name, each === '[]' ? [] : each]);
        const row = { ...Object.fromEntries(entries), project_id: this.project };
        const edit = { do: 'insert', collection, id, row, values: { [field]: value } };
        return this.ledger.begin('browser', edit, made.references);
    }

    /** An edit by the keyboard, in a cell of the table. */
    async _type() {
        const window = this.windows[0];
        if (window?.isDead !== false) return;
        const found = await window.run(`
            const cells = [...document.querySelectorAll('.grid-row:not([hidden]) .cell.name')];
            const cell = cells[${this.below(1000)} % cells.length];
            cell?.focus();
            const named = (await campaign.tidemark.rows('tasks')).filter(({ name }) => name === cell?.textContent);
            return document.activeElement === cell && named.length === 1 ? named[0].id : null;`);
        if (found === DEAD || !found) return;
        const value = `typed ${this.ledger.edits.length}`;
        const edit = { do: 'save', collection: 'tasks', id: found, values: { name: value } };
        const { number } = this.ledger.begin('browser', edit);
        this.counts.typed += 1;
        await window.alive(async page => {
            await page.press('Enter');
            await page.type(value);
            await page.press('Enter');
        });
        if (this.below(4) === 0) return this._kill(window);
        // Once the copy has it, it must not be lost.
        const has = `return (await campaign.tidemark.row('tasks', ${JSON.stringify(found)}))?.name === '${value}'`;
        for (let attempt = 0; attempt < 20; attempt += 1) {
            if (await window.run(has) === true) return this.ledger.answered(number, 'stored');
        }
        return window.alive(page => page.press('Escape'));
    }

    /** A window is closed, crashes or is loaded again, or the whole browser is killed. */
    async _kill(window = this.pick(this.windows)) {
        const act = this.below(8);
        if (act === 0) return this._killBrowser();
        if (window?.isDead !== false) return;
        if (act < 3) {
            this.counts.reloaded += 1;
            this.windows[this.windows.indexOf(window)] = await this._reached(await this.desktop.reload(window));
            return;
        } else if (act < 6) {
            this.counts.crashed += 1;
            await window.kill('crash');
        } else {
            this.counts.closed += 1;
            await window.kill('close');
        }
        if (this.below(3) > 0) await this._reopen();
    }

    async _killBrowser() {
        this.counts.browsers += 1;
        await this.desktop.kill();
        await this.desktop.start();
        await this._reopen();
    }

    /** The server is killed, and comes back. */
    async _restart() {
        this.counts.restarts += 1;
        await this.server.halt();
        await pause(this.below(200));
        await this.server.run();
    }

    /** The network goes or comes, of the browser or of one window. */
    async _network() {
        const window = this.pick(this.windows);
        if (this.below(2) === 0 && window?.isDead === false) {
            this.counts.tabCuts += 1;
            window.isOffline = !window.isOffline;
            await window.alive(page => page.offline(window.isOffline));
        } else if (this.road.isCut) this.road.mend();
        else {
            this.counts.cuts += 1;
            this.road.cut();
        }
    }
}
