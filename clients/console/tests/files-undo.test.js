import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CLOCK } from './support/clock.js';
import { hasChromium } from './support/devtools.js';
import { FilePlans, dropOn, openTask, troublesOf, whenListed, windowAt } from './support/files.js';
import { PASSWORD, Plans } from './support/plans.js';

// Files that were added and not sent: what steps and deletions do to the bytes that wait. Nothing of files gets through
// to the server until `letThrough()`.

const skip = hasChromium() ? false : 'there is no chromium';
const SCHEMAS = fileURLToPath(new URL('../../../Schemas/collections/', import.meta.url));
let scene, plans, page, folder;

before(async () => {
    if (skip) return;
    scene = await FilePlans.start(['Walls', 'Roof', 'Door', 'Keel', 'Mast']);
    ({ plans, folder } = scene);
    page = await windowAt(plans.tools, scene.url, { user: 'alice', source: CLOCK });
    await page.send('Network.setBlockedURLs', { urls: ['*/sync/files/*'] });
});
after(() => scene?.stop());
afterEach(() => skip || assert.deepEqual(troublesOf(page), []));

async function letThrough() {
    await page.send('Network.setBlockedURLs', { urls: [] });
    await page.run('dispatchEvent(new Event("online"))');
}

/** Drops a file on a task, and waits until it waits. */
async function added(task, name, bytes = name) {
    await openTask(page, task);
    await dropOn(page, '.file-section', [folder.put(name, bytes)]);
    await whenListed(page, files => files[0]?.name === name && files[0].kind === 'waiting');
}

/** Waits until so many files are to be sent, as the header says. */
const toSend = count => page.until(`
    const [, found = '0'] = /(\\d+) files? to send/.exec(document.querySelector('.top').textContent) ?? [];
    return Number(found) === ${count}`, `${count} to send`);
const turn = which => page.until(`
    const button = document.querySelector('.undo-buttons .${which}');
    if (button.ariaDisabled !== 'true') button.click();
    return button.ariaDisabled !== 'true'`, which);

/** Chooses an item of a file's menu. */
async function choose(name, text) {
    await page.until(`
        const more = [...document.querySelectorAll('.file-more')].find(each => each.ariaLabel === 'More for ${name}');
        more?.click();
        return more`, name);
    await page.until(`
        const item = [...document.querySelectorAll('[role=menuitem]')].find(each => each.textContent === '${text}');
        item?.click();
        return item`, text);
}

test('an undo takes the bytes out of the queue, and a redo puts them back', { skip }, async () => {
    await added('Walls', 'undone.txt');
    await toSend(1);
    await turn('undo');
    await whenListed(page, files => files.length === 0);
    await toSend(0);
    await turn('redo');
    await whenListed(page, files => files[0]?.name === 'undone.txt' && files[0].kind === 'waiting');
    await toSend(1);
    await turn('undo');
    await toSend(0);
});

test('a deletion takes them along once it happens, and not while another row names them', { skip }, async () => {
    await added('Walls', 'twice.txt', 'the same bytes');
    await added('Roof', 'again.txt', 'the same bytes');
    await toSend(1);
    await choose('again.txt', 'Delete');
    await whenListed(page, files => files.length === 0);
    assert.ok(await page.run('return pass()') > 0);
    await page.until('return document.querySelector(".undo-bar") === null', 'it has happened');
    await openTask(page, 'Walls');
    await whenListed(page, files => files[0]?.name === 'twice.txt' && files[0].kind === 'waiting');
    await choose('twice.txt', 'Delete');
    await whenListed(page, files => files.length === 0);
    await toSend(1);
    await page.run('pass()');
    await toSend(0);
});

test('so does the deletion of a task', { skip }, async () => {
    await added('Keel', 'keel.txt');
    await toSend(1);
    await page.run(`document.querySelector('.plan-list').focus();
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown',
            { key: 'Delete', ctrlKey: true, bubbles: true, cancelable: true }))`);
    await page.until('return /a task|1 attachment|goes/.test(document.querySelector(".undo-bar")?.textContent)', 'it waits');
    await toSend(1);
    await page.until('return pass() > 0', 'its time has come');
    await toSend(0);
});

test('what is under Unsent can be removed there, after a question', { skip }, async () => {
    await added('Mast', 'mast.txt');
    await page.run('location.hash = "/unsent"');
    await page.until('return /mast\\.txt.*Waits/.test(document.querySelector("main, #page").textContent)', 'it is listed');
    await page.until(`
        const button = [...document.querySelectorAll('.edit-card button')].find(each => each.textContent === 'Remove …');
        button?.click();
        return button`, 'a button');
    await page.click('dialog .danger');
    await toSend(0);
    await page.run('location.hash = "/plan/boat"');
});

test('what stays is sent, and nothing of the rest ever is', { skip }, async () => {
    await added('Door', 'door.txt');
    await letThrough();
    await whenListed(page, files => files.length === 1 && files[0].kind === 'stored' && files[0].state === '');
    await toSend(0);
    const rows = await scene.rows();
    assert.deepEqual(rows.filter(({ state }) => state === 'stored').map(({ name }) => name), ['door.txt']);
    assert.deepEqual(rows.map(({ name }) => name).sort(), ['door.txt', 'mast.txt']);
});

test('signing out asks about files that were not sent', { skip }, async () => {
    await page.send('Network.setBlockedURLs', { urls: ['*/sync/files/*'] });
    await added('Door', 'late.txt');
    await page.until(`
        const button = [...document.querySelectorAll('.top button')].find(each => each.textContent === 'Sign out');
        button?.click();
        return document.querySelector('dialog')?.textContent.includes('1 file has not reached the server.')`, 'it asks');
    await page.run('document.querySelector("dialog [value=no]").click()');
    await letThrough();
    await toSend(0);
});

test('a schema without the collection has no files', { skip }, async () => {
    const schemas = join(folder.path, 'schemas');
    cpSync(SCHEMAS, schemas, { recursive: true });
    rmSync(join(schemas, 'attachments.json'));
    const others = await Plans.start({}, { schemas });
    try {
        await others.server.account('alice', PASSWORD);
        const token = await others.server.command('token', 'create', '--user', 'alice');
        await others.server.api(token, 'POST', '/projects/', { id: 'boat', name: 'Boat', start_date: '2026-01-05' });
        await others.server.task(token, 'boat', { id: 'Walls', name: 'Walls', planned_start: '2026-03-02', duration: 3 });
        const other = await windowAt(others.tools, `${others.front.url}#/plan/boat`, { user: 'alice' });
        await openTask(other, 'Walls');
        // The history is below the files.
        await other.has('.plan-history');
        await other.run('await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
        assert.equal(await other.run('return document.querySelector(".file-section").hidden'), true);
        assert.deepEqual(other.troubles, []);
    } finally {
        await others.stop();
    }
});
