// Runs the sample of WatermelonDB's documentation with stand-ins for what surrounds it. Called by `watermelondb.py`.
import { readFileSync } from 'node:fs';
import { NEW } from '../../../clients/watermelondb/tests/support/rows.js';
import { Database } from '../../../clients/watermelondb/tests/support/standin.js';
import { synchronize } from '../../../clients/watermelondb/tests/support/synchronize.js';
import { canonical, chance, newTask, report } from './support.mjs';

const [file, origin, project, aliceToken, bobToken, seed] = process.argv.slice(2);
const ROUNDS = 160;
const BACKEND = 'https://my.backend/sync';
/** What else the phones edit: the columns of a new row about a task, and a column to edit. */
const OTHERS = {
    risks: [task => ({ task_ids: JSON.stringify([task]) }), 'title'],
    task_links: [task => ({ task }), 'title'],
    time_entries: [task => ({ task }), 'note'],
    sprints: [() => ({}), 'goal'],
};

/** The sample's code block; its import is what `synchronize` stands in for. */
function extract(page) {
    const start = page.indexOf("import { synchronize } from '@nozbe/watermelondb/sync'");
    if (start < 0) throw new Error('the page has no sample');
    const code = page.slice(start, page.indexOf('```', start));
    return code.slice(code.indexOf('\n'));
}

const { random, pick, newID } = chance(seed);

/** The collections of which rows were pushed. */
const pushed = new Set();
const counts = { pulls: 0, pushes: 0, conflicts: 0, lost: 0, edits: 0 };
let isNoisy = true;
let isBetween = false;

/** A phone: its database, and the sample with a `fetch` that knows the address and the token, and loses answers. */
class Phone {
    database = new Database();

    constructor(code, token) {
        this.token = token;
        const names = ['synchronize', 'database', 'fetch'];
        const fetchStandIn = (address, options) => this.fetch(address, options);
        this.sync = new Function(...names, `${code}; return mySync`)(synchronize, this.database, fetchStandIn);
    }

    async fetch(address, options = {}) {
        if (!address.startsWith(`${BACKEND}?`)) throw new Error(`not the backend: ${address}`);
        if (options.method === 'POST') await this.letTheOtherPhoneSync();
        const url = `${origin}/api/v1/projects/${project}/sync/${address.slice(BACKEND.length)}`;
        const answer = await fetch(url, { ...options, headers: { Authorization: `Bearer ${this.token}` } });
        options.method === 'POST' ? counts.pushes++ : counts.pulls++;
        if (answer.status === 409) counts.conflicts++;
        if (options.method === 'POST' && answer.ok) {
            const changes = Object.entries(JSON.parse(options.body));
            for (const [name, { created }] of changes) if (created.length) pushed.add(name);
        }
        if (isNoisy && random(5) === 0) {
            counts.lost++;
            throw new Error('the answer is lost');
        }
        return answer;
    }

    /** Between this one's pull and push, when it does the most harm. */
    async letTheOtherPhoneSync() {
        if (!isNoisy || isBetween || random(2)) return;
        isBetween = true;
        const other = phones.find(phone => phone !== this);
        if (other.database.lastPulledAt) other.edit();
        errors.push(...await other.syncTwice());
        isBetween = false;
    }

    edit() {
        const tasks = [...this.database.rows('tasks').values()];
        const action = random(8);
        if (action > 5 && tasks.length) {
            this.editOther(pick(Object.keys(OTHERS)), pick(tasks).id);
        } else if (action === 0 || tasks.length < 3) {
            this.database.create('tasks', newTask(tasks, { id: newID(), name: `new ${counts.edits}` }));
        } else if (action === 1 && tasks.length > 8) {
            this.database.remove('tasks', pick(tasks).id);
        } else {
            const column = pick(['notes', 'name']);
            this.database.update('tasks', pick(tasks.slice(0, 4)).id, { [column]: `edit ${counts.edits}` });
        }
        counts.edits++;
    }

    editOther(name, task) {
        const rows = [...this.database.rows(name).keys()];
        const [values, column] = OTHERS[name];
        // A member may not delete the other two, and the sample can't leave out refused rows.
        const isDeletable = ['task_links', 'time_entries'].includes(name);
        if (!rows.length || random(3) === 0) {
            this.database.create(name, { ...NEW[name], id: newID(), ...values(task) });
        } else if (isDeletable && random(4) === 0) {
            this.database.remove(name, pick(rows));
        } else {
            this.database.update(name, pick(rows.slice(0, 4)), { [column]: `edit ${counts.edits}` });
        }
    }

    /** As the documentation advises: tried again, once. Returns errors that are neither lost answers nor conflicts. */
    async syncTwice() {
        for (let attempt = 0; attempt < 2; attempt++) {
            try {
                return [await this.sync()].filter(Boolean);
            } catch (error) {
                const expected = ['the answer is lost', '"code":"conflict"'];
                if (!expected.some(part => error.message.includes(part))) return [error.stack];
            }
        }
        return [];
    }
}

console.log(`seed ${seed}`);
const code = extract(readFileSync(file, 'utf8'));
const phones = [new Phone(code, aliceToken), new Phone(code, bobToken)];
const errors = [];
for (let round = 0; round < ROUNDS; round++) {
    const phone = pick(phones);
    for (let edits = phone.database.lastPulledAt ? random(4) : 0; edits > 0; edits--) phone.edit();
    errors.push(...await phone.syncTwice());
}
report(`${ROUNDS} rounds of two phones: no error but lost answers and conflicts`, !errors.length, errors);
report('there were pushes, conflicts and lost answers', counts.pushes > 10 && counts.conflicts && counts.lost,
    JSON.stringify(counts));
isNoisy = false;
// The first quiet rounds push what is left, the last ones pull what the other phone pushed.
for (const phone of [...phones, ...phones]) errors.push(...await phone.syncTwice());
report('nothing is left to push', !phones.some(phone => phone.database.hasChanges()), errors);
const fresh = new Phone(code, aliceToken);
await fresh.sync();
report('new rows of every edited collection were pushed', pushed.size === 5, [...pushed]);
for (const [name, rows] of [...fresh.database.tables()].map(([name]) => [name, fresh.database.synced(name)])) {
    if (name === 'time_entries' || !rows.length) continue;
    const differ = phones.filter(phone => canonical(phone.database.synced(name)) !== canonical(rows));
    report(`both phones have the ${rows.length} ${name} of a phone that begins now`, !differ.length,
        differ.map(phone => canonical(phone.database.synced(name))));
}
console.log(JSON.stringify(counts));
