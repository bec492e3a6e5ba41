import assert from 'node:assert/strict';
import { openSync, closeSync, mkdtempSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { audit } from './support/audit.js';
import { hasChromium } from './support/devtools.js';
import { Plans } from './support/plans.js';

// Storage, backups, checks, lost edits and busiest projects in a real browser. Each test goes on where the one before
// ended.

const skip = hasChromium() ? false : 'there is no chromium';
const NASTY = '\u202egnp.exe <img src=x onerror=alert(1)> “a” {{7*7}}';
const SHOWN = 'gnp.exe <img src=x onerror=alert(1)> “a” {{7*7}}';
const SECRET = 'what bob wrote';

let plans, root, alice, bob, page, folder;

before(async () => {
    if (skip) return;
    folder = mkdtempSync(join(tmpdir(), 'tidemark-backups-'));
    plans = await Plans.start({ TIDEMARK_BACKUP_FOLDER: folder });
    [alice, bob] = [await plans.user('alice'), await plans.user('bob')];
    plans.superuser('root');
    root = await plans.server.command('token', 'create', '--user', 'root');
    await plans.project(alice, 'boat', NASTY, 40);
    await plans.project(alice, 'harbour', 'Harbour', 5);
    await plans.server.member('boat', 'bob', 'member');
    page = await plans.page();
    await plans.signIn(page, 'root');
    await page.until('return document.querySelector(".sync-text")?.textContent === "In sync"', 'in sync', 20_000);
});
after(async () => {
    if (skip) return;
    await plans.stop();
    rmSync(folder, { recursive: true });
});

const get = path => plans.server.api(root, 'GET', path);
const show = async route => {
    await page.run(`location.hash = ${JSON.stringify(route)}`);
    await page.until('return document.querySelector("#page h1") && !document.querySelector(".loading")', route);
};
const texts = selector => page.run(
    `return [...document.querySelectorAll(${JSON.stringify(selector)})].map(each => each.textContent)`);
const BACKUPS = '[aria-label=Backups]';
const backupRows = () => texts(`${BACKUPS} tbody tr`);

/** Looks until the newest entry of an action says this: the server writes it when the work is over. */
async function inAuditList(action, pattern) {
    for (let attempt = 0; attempt < 50; attempt += 1) {
        await show('#/projects');
        await show(`#/audit?action=${action}`);
        if (pattern.test((await texts('.feed-text p:first-child'))[0] ?? '')) return;
    }
    assert.fail(`${pattern} is not there`);
}

/** Clicks the only button that says this. */
const press = (words, within = '#page') => page.until(`
    const found = [...document.querySelectorAll(${JSON.stringify(within)} + ' button')]
        .filter(each => (each.getAttribute('aria-label') ?? each.textContent).trim() === ${JSON.stringify(words)});
    if (found.length !== 1 || found[0].disabled) return false;
    found[0].click();
    return true`, `${words} within ${within}`);

/** Bob loses an edit of a task of the project, whose name is a number. */
async function loseEdit(id) {
    const body = {
        client_batch_id: crypto.randomUUID(), on_error: 'reject_rows',
        changes: { tasks: { created: [{ id, name: 7, notes: SECRET }], updated: [], deleted: [] } },
    };
    await plans.server.api(bob, 'POST', '/projects/boat/sync/', body);
}

test('the totals are those of the installation', { skip }, async () => {
    await show('#/storage');
    const tiles = await page.until(`
        const all = [...document.querySelectorAll('.tiles > div')];
        return all.length > 0 && Object.fromEntries(all.map(each =>
            [each.querySelector('dt').textContent, each.querySelector('dd').textContent]));`);
    const { rows, tombstones } = await get('/admin/storage/');
    assert.deepEqual([tiles.Rows, tiles.Tombstones], [rows.toLocaleString('en'), tombstones.toLocaleString('en')]);
    assert.match(tiles.Database, /^[\d.]+ [kM]B$/);
    assert.match(await page.text('.tiles'), /SQLite 3\./);
    // The card of backups has its own request, which may end after that of the totals.
    await page.until(`return document.querySelector('${BACKUPS} .job')`, 'the backups');
    assert.match(await page.text(`${BACKUPS} .job`), new RegExp(`Made every day, in ${folder}`));
});

test('a backup is made, is seen to be made, and is in the audit list', { skip }, async () => {
    // The server makes one by itself when it starts.
    await page.until(`return document.querySelectorAll('${BACKUPS} tbody tr').length === 1`, 'its own', 20_000)
        .catch(() => show('#/projects').then(() => show('#/storage')));
    const before = (await backupRows()).length;
    await page.run('return new Promise(resolve => setTimeout(resolve, 1000))'); // A name has the second.
    await press('Back up now …');
    assert.deepEqual(await page.run(audit()), []);
    await press('Back up', 'dialog');
    await page.until(`return document.querySelectorAll('${BACKUPS} tbody tr').length === ${before + 1}`, 'it is there');
    await page.until(`return /The backup is made/.test(document.querySelector('${BACKUPS}').textContent)`);
    assert.match((await backupRows())[0], /sound/);
    await inAuditList('backup_made', /^root made a backup: .*\.db$/);
});

test('the database is checked, and found sound', { skip }, async () => {
    await show('#/storage');
    await press('Check now …');
    await press('Check', 'dialog');
    await page.until('return /The database is sound/.test(document.querySelector("[aria-label=Check]").textContent)');
    await inAuditList('checked', /^root checked the database: it is sound$/);
});

test('a damaged backup is found out, with what is wrong and what to do', { skip }, async () => {
    await show('#/storage');
    const [file] = await texts(`${BACKUPS} tbody th`);
    const descriptor = openSync(join(folder, file), 'r+');
    writeSync(descriptor, Buffer.alloc(3000, 7), 0, 3000, 8192);
    closeSync(descriptor);
    await press(`Check ${file}`);
    await press('Check', 'dialog');
    await page.until('return document.querySelectorAll(".findings li").length > 0', 'findings');
    assert.match(await page.text('[aria-label=Check]'), new RegExp(`damaged The backup ${file} is damaged`));
    await page.until(`return /damaged/.test(document.querySelector('${BACKUPS} tbody tr').textContent)`, 'its row');
    assert.deepEqual(await page.run(audit()), []);
});

test('projects are listed with their growth, sorted by the keyboard, and opened', { skip }, async () => {
    const names = () => texts('.project-table tbody tr:not(.inner) th a');
    assert.deepEqual(await names(), [SHOWN, 'Harbour'], 'the largest first');
    await page.run('[...document.querySelectorAll("button.sort")].find(each => each.textContent === "Rows").focus()');
    await page.press('Enter');
    assert.deepEqual(await names(), ['Harbour', SHOWN]);
    assert.equal(await page.run('return document.querySelector("[aria-sort]").getAttribute("aria-sort")'), 'ascending');
    const [, grown] = await texts('.project-table tbody tr:not(.inner):last-of-type td, '
        + '.project-table tbody tr:nth-last-child(2) td');
    assert.match(grown, /^\+\d/);
    await press(`Collections of ${SHOWN}`);
    assert.match((await texts('.inner:not([hidden]) li')).join(), /Tasks4\d/);
    assert.equal(await page.run('return document.querySelectorAll("main img, main script").length'), 0);
});

test('lost edits of everybody are listed, without a value', { skip }, async () => {
    await show('#/lost');
    await page.until('return /No lost edits/.test(document.querySelector("#page").textContent)');
    await loseEdit('t-lost-1');
    await loseEdit('t-lost-2');
    await show('#/projects');
    await show('#/lost');
    const all = await texts('.feed-text p:first-child');
    assert.deepEqual(all, ['t-lost-2', 't-lost-1'].map(id =>
        `bob lost an edit of the whole task ${id}. The value has the wrong type.`));
    assert.match(await page.text('.feed-text .small'), /^wrong_type · project gnp\.exe .* · batch [0-9a-f-]{36}$/);
    assert.equal((await page.run('return document.body.textContent')).includes(SECRET), false);
    await page.run('document.querySelectorAll(".filters input")[0].focus()');
    await page.type('alice');
    await page.press('Enter');
    await page.until('return /No lost edits/.test(document.querySelector("#page").textContent)');
    await press('Clear');
    await page.until('return document.querySelectorAll(".feed-entry").length === 2');
    await page.run('document.querySelector(".feed-text code").parentElement.click()');
    await page.until('return document.querySelector("input[name=id]")?.value === "t-lost-2"', 'it leads to the reasons');
    await page.until('return document.querySelector(".reasons, .problem")', 'an answer');
    page.troubles.length = 0;
});

test('the busiest projects are on the page of what is going on now', { skip }, async () => {
    await show('#/now');
    await page.until(`return document.querySelector('[aria-label="Busiest projects"] tbody th')?.textContent
        === ${JSON.stringify(SHOWN)}`, 'the busiest one');
    const [requests] = await texts('[aria-label="Busiest projects"] tbody td');
    assert.ok(Number(requests) >= 3, requests);
});

test('what is running goes on when the page is left, and is seen when one comes back', { skip }, async () => {
    await show('#/storage');
    await press('Check now …');
    await press('Check', 'dialog');
    await show('#/projects');
    await show('#/storage');
    await page.until('return /The database is sound/.test(document.querySelector("[aria-label=Check]").textContent)');
    const asked = () => page.run('return performance.getEntriesByType("resource").filter(({ name }) => '
        + '/admin.(checks|backups)/.test(name)).length');
    const before = await asked();
    await page.run('return new Promise(resolve => setTimeout(resolve, 1500))');
    assert.equal(await asked(), before, 'nothing is asked while nothing runs');
});

for (const colours of ['light', 'dark']) {
    test(`names and contrast, ${colours}, and nothing is wider than a phone`, { skip }, async () => {
        await page.prefer({ colours, motion: 'reduce' });
        for (const width of [1280, 320]) {
            await page.resize(width, 800);
            for (const route of ['#/storage', '#/lost']) {
                await show(route);
                const widths = await page.run('return [document.documentElement.scrollWidth, innerWidth]');
                assert.ok(widths[0] <= widths[1], `${route}: ${widths}`);
                assert.deepEqual(await page.run(audit()), [], route);
            }
        }
        await page.resize(1280, 800);
    });
}

test('without a network, each part says so', { skip }, async () => {
    await page.offline(true);
    await show('#/storage');
    await page.until('return document.querySelectorAll("#page .problem").length === 4', 'totals, backups, check, projects');
    assert.deepEqual(await page.run(audit()), []);
    await page.offline(false);
    page.troubles.length = 0;
    await page.run('document.querySelectorAll("#page .problem button").forEach(each => each.click())');
    await page.until('return document.querySelectorAll(".tiles, .job, .project-table").length === 4', 'all is there');
});

test('a server without a folder for backups says what to do', { skip }, async () => {
    await plans.server.halt();
    delete plans.server.settings.TIDEMARK_BACKUP_FOLDER;
    await plans.server.run();
    page.troubles.length = 0;
    await page.run('location.hash = "#/projects"');
    await page.has('.projects');
    await show('#/storage');
    await page.until(`return /TIDEMARK_BACKUP_FOLDER/.test(document.querySelector('${BACKUPS} .job')?.textContent)`);
    assert.equal((await texts(`${BACKUPS} button`)).length, 0);
});

test('nothing is written to the browser\'s console', { skip }, () => {
    assert.deepEqual(page.troubles, []);
});
