// Runs the published snippet with stand-ins for what surrounds it in a browser. Called by `snippet.py`.
import { readFileSync } from 'node:fs';
import { Database } from '../../../clients/watermelondb/tests/support/standin.js';
import { synchronize } from '../../../clients/watermelondb/tests/support/synchronize.js';
import { canonical, chance, newTask, report } from './support.mjs';

const [file, origin, project, token, otherToken, seed] = process.argv.slice(2);
const ROUNDS = 25;

/** The code block of the page, which has lost its line ends: comments go up to the end of their sentence. */
function extract(page) {
    const start = page.indexOf('await synchronize({');
    if (start < 0) throw new Error('the page has no `await synchronize({`');
    const comment = page.slice(start).includes('\n  database,') ? /\/\/[^\n]*/g : /\/\/.*?\. (?=[a-z])/g;
    const code = page.slice(start).replace(comment, '');
    let depth = 0;
    for (let end = code.indexOf('('); end < code.length; end++) {
        if (code[end] === '(') depth++;
        if (code[end] === ')' && --depth === 0) return code.slice(0, end + 1);
    }
    throw new Error('the snippet does not end');
}

/** Takes away the types of declarations, the only TypeScript in it. */
const stripTypes = code => code.replace(/\b(const|let) (\w+): [^=]+ = /g, '$1 $2 = ');

const { random, pick, newID } = chance(seed);

const counts = { pages: 0, writes: 0, pushes: 0, edits: 0 };
let isNoisy = true;
const refused = [];

/** What the second client does between the first one's pages. */
const others = [];
async function writeAsOther() {
    const changes = { created: [], updated: [], deleted: [] };
    const action = random(4);
    if (action === 0 || others.length < 3) {
        others.push(newID());
        changes.created.push({ id: others.at(-1), name: `other ${counts.writes}` });
    } else if (action === 1) {
        changes.deleted.push(...others.splice(random(others.length), 1));
    } else {
        const known = [...local.rows('tasks').keys()];
        const id = action === 2 && known.length ? pick(known) : pick(others);
        changes.updated.push({ id, name: `other ${counts.writes}`, _changed: 'name' });
    }
    const body = JSON.stringify({ client_batch_id: crypto.randomUUID(), changes: { tasks: changes } });
    const headers = { Authorization: `Bearer ${otherToken}`, 'Content-Type': 'application/json' };
    const answer = await fetch(`${origin}/api/v1/projects/${project}/sync/`, { method: 'POST', headers, body });
    if (!answer.ok) refused.push(`the second client: ${await answer.text()}`);
    counts.writes++;
}

/** The browser's fetch: relative addresses are relative to the page's origin. */
async function fetchStandIn(address, options = {}) {
    const url = new URL(address, origin);
    const isPush = options.method === 'POST';
    // Before a page that is not the first, and before a push: when a real colleague's write does the most harm.
    if (isNoisy && (url.searchParams.has('cursor') || isPush)) {
        for (let writes = 2 + random(8); writes > 0; writes--) await writeAsOther();
    }
    const answer = await fetch(url, options);
    if (!answer.ok) refused.push(`${options.method ?? 'GET'} ${url}: ${await answer.clone().text()}`);
    isPush ? counts.pushes++ : counts.pages++;
    return answer;
}

function editLocally() {
    const tasks = [...local.rows('tasks').values()];
    const action = random(5);
    if (action === 0 || tasks.length < 3) {
        local.create('tasks', newTask(tasks, { id: newID(), name: `mine ${counts.edits}` }));
    } else if (action === 1) {
        local.remove('tasks', pick(tasks).id);
    } else {
        local.update('tasks', pick(tasks).id, { notes: `mine ${counts.edits}` });
    }
    counts.edits++;
}

async function freshDrain() {
    const rows = {};
    let cursor = '';
    do {
        const url = `${origin}/api/v1/projects/${project}/sync/?since=0&page_size=5000&cursor=${cursor}`;
        const page = await (await fetch(url, { headers: { Authorization: `Bearer ${token}` } })).json();
        for (const [name, bucket] of Object.entries(page.changes)) (rows[name] ??= []).push(...bucket.updated);
        cursor = page.next_cursor;
    } while (cursor);
    return rows;
}

console.log(`seed ${seed}`);
const local = new Database();
const code = stripTypes(extract(readFileSync(file, 'utf8')));
const names = ['synchronize', 'database', 'location', 'projectId', 'token', 'fetch'];
const AsyncFunction = (async () => {}).constructor;
const snippet = new AsyncFunction(...names, code);
const sync = () => snippet(synchronize, local, { origin }, project, token, fetchStandIn);

const errors = [];
for (let round = 0; round < ROUNDS; round++) {
    for (let edits = round ? random(4) : 0; edits > 0; edits--) editLocally();
    await sync().catch(error => errors.push(`round ${round}: ${error.stack}`));
}
const rounds = `${ROUNDS} rounds, ${counts.writes} writes of a second client between requests`;
report(`${rounds}: no error`, !errors.length, errors);
isNoisy = false;
// The first quiet round pushes what is left, the second pulls what the server made of it.
for (let round = 0; round < 2; round++) await sync().catch(error => errors.push(error.stack));
report('every answer to it was a 2xx', !refused.length, refused);
report('many pages, some pushes', counts.pages > 1.5 * ROUNDS && counts.pushes > 5, JSON.stringify(counts));
report('nothing is left to push', !local.hasChanges(), 'local changes');
const fresh = await freshDrain();
for (const [name, rows] of Object.entries(fresh)) {
    const mine = local.synced(name);
    if (!rows.length && !mine.length) continue;
    const isEqual = canonical(mine) === canonical(rows);
    report(`after a quiet round ${rows.length} ${name} equal a fresh drain`, isEqual, canonical(mine));
}
console.log(JSON.stringify(counts));
