import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, test } from 'node:test';
import { audit } from './support/audit.js';
import { DevTools, hasChromium } from './support/devtools.js';
import { FilePlans, choose, clickOn, dropOn, downloadsInto, openTask, troublesOf, whenListed, windowAt } from './support/files.js';
import { bomb, png } from './support/pictures.js';

// The files of a task, in a real browser: from a hand with a photo to another window and another user.

const skip = hasChromium() ? false : 'there is no chromium';
const PHOTO = png(600, 400, { noise: true });
const QUOTA = 'TIDEMARK_FILES_PROJECT_MB';
const stored = files => files.every(({ kind, state }) => kind === 'stored' && state === '');

let scene, plans, page, folder;

before(async () => {
    if (skip) return;
    scene = await FilePlans.start(['Walls', 'Roof', 'Door', 'Keel', 'Mast', 'Oars'], ['boat', 'small']);
    ({ plans, folder } = scene);
    for (const name of ['bob', 'eve']) await plans.user(name);
    await plans.server.member('boat', 'bob', 'member');
    await plans.server.member('boat', 'eve', 'viewer');
    page = await opened(plans.tools, 'alice');
});
after(() => scene?.stop());
afterEach(() => skip || assert.deepEqual(troublesOf(page), []));

/** A window at the plan; `user` signs in, if nobody has. */
const opened = (tools, user, options) => windowAt(tools, scene.url, { user, ...options });

/** Another browser, in which the user signs in. */
async function another(user) {
    const { browserContextId } = await plans.tools.send('Target.createBrowserContext');
    return { browserContextId, page: await opened(plans.tools, user, { browserContextId }) };
}

const rowsOf = async task => (await scene.rows()).filter(row => row.task === task);
const press = (each, text) => each.until(`
    const found = [...document.querySelectorAll('button:not([hidden])')].filter(each => each.checkVisibility())
        .find(each => each.textContent === ${JSON.stringify(text)} || each.ariaLabel === ${JSON.stringify(text)});
    found?.click();
    return Boolean(found)`, text);

test('a photo that is dropped is seen in the other window and by another user, who downloads it only to look', { skip },
    async () => {
        const second = await opened(plans.tools);
        const bob = await another('bob');
        await Promise.all([page, second, bob.page].map(each => openTask(each, 'Walls')));
        await dropOn(page, '.file-section', [folder.put('slipway.png', PHOTO)]);
        for (const each of [page, second, bob.page]) {
            const [file] = await whenListed(each, files => files.length === 1 && stored(files) && files[0].picture > 0);
            assert.equal(file.name, 'slipway.png');
            assert.match(file.facts, /^721 kB · alice · /);
            assert.equal(file.picture, 128, 'the small one, of the row');
        }
        const asked = () => bob.page.requests.filter(url => url.includes('/sync/files/')).length;
        assert.equal(asked(), 0, 'what the row has is not downloaded');
        await bob.page.click('.file-picture:not([hidden])');
        await bob.page.until('return document.querySelector("dialog .file-large img")?.naturalWidth === 600', 'it is large');
        assert.equal(asked(), 1);
        await bob.page.click('dialog .primary');
        for (const each of [page, second, bob.page]) {
            await each.until('return counts.made > 0 && counts.made === counts.forgotten', 'no address is kept');
        }
        const [row] = await rowsOf('boat-Walls');
        assert.deepEqual([row.state, row.media_type, row.size], ['stored', 'image/png', PHOTO.length]);
        assert.ok(Buffer.from(row.preview, 'base64').length <= 4096);
        assert.deepEqual([...second.troubles, ...bob.page.troubles], []);
        await second.close();
        await plans.tools.send('Target.disposeBrowserContext', bob);
    });

test('files are chosen, and pasted, and each comes back byte for byte', { skip }, async () => {
    await openTask(page, 'Roof');
    const bytes = Buffer.from('one\ntwo\n');
    await choose(page, '.file-ways input', [folder.put('notes.txt', bytes), folder.put('empty.bin', '')]);
    await whenListed(page, files => files.length === 2 && stored(files));
    assert.equal(await page.text('.file-status'), '2 files were added.');
    await page.run(`
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(${JSON.stringify([...png(9, 9)])})], 'image.png', { type: 'image/png' }));
        document.querySelector('.file-ways button:last-of-type').focus();
        const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
        document.activeElement.dispatchEvent(event)`);
    await whenListed(page, files => files.length === 3 && stored(files) && files[0].picture > 0);
    const next = await downloadsInto(page, folder.path);
    for (const [name, expected] of [['notes.txt', bytes], ['empty.bin', Buffer.from('')], ['image.png', png(9, 9)]]) {
        await clickOn(page, `Download ${name}`);
        const done = await next();
        assert.equal(done.name, name);
        assert.deepEqual(readFileSync(done.path), expected);
    }
});

test('text that is pasted into a field stays text', { skip }, async () => {
    await openTask(page, 'Roof');
    await page.run(`
        const data = new DataTransfer();
        data.setData('text/plain', 'x');
        data.items.add(new File(['x'], 'x.png', { type: 'image/png' }));
        const field = document.querySelector('.plan-fields textarea');
        field.focus();
        const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
        globalThis.isTaken = !field.dispatchEvent(event)`);
    assert.equal(await page.run('return isTaken'), false);
});

test('a file that misses the panel does not take the console away', { skip }, async () => {
    await openTask(page, 'Roof');
    const missed = folder.put('missed.txt', 'missed');
    await dropOn(page, '.plan-list', [missed]);
    await dropOn(page, '.plan-details h2', [folder.put('hit.txt', 'hit')]);
    const files = await whenListed(page, found => found.length === 4 && stored(found));
    assert.deepEqual(files.filter(({ name }) => /hit|missed/.test(name)).map(({ name }) => name), ['hit.txt']);
    assert.match(await page.run('return location.href'), /\/console\//);
});

test('it is renamed and deleted by keys, and steps take that back', { skip }, async () => {
    await openTask(page, 'Door');
    await dropOn(page, '.file-section', [folder.put('plan.txt', 'plan')]);
    await whenListed(page, files => files.length === 1 && stored(files));
    const menu = async () => {
        await page.run('document.querySelector(".file-more").focus()');
        await page.press('Enter');
        await page.has('[role=menu]');
    };
    await menu();
    await page.press('ArrowDown');
    await page.until('return document.activeElement.textContent === "Rename …"', 'the second one');
    await page.press('Enter');
    await page.has('.editor input');
    await page.fill('.editor input', 'drawing.txt');
    await page.press('Enter');
    await whenListed(page, ([file]) => file?.name === 'drawing.txt');
    await press(page, 'Undo');
    await whenListed(page, ([file]) => file?.name === 'plan.txt');
    await menu();
    await page.press('ArrowUp');
    await page.until('return document.activeElement.textContent === "Delete"', 'the last one');
    await page.press('Enter');
    await whenListed(page, files => files.length === 0);
    await page.until('return document.querySelector(".undo-bar") !== null', 'it waits');
    await page.click('.undo-bar button');
    await whenListed(page, ([file]) => file?.name === 'plan.txt');
});

test('who reads a list by ear, or sees little of it, has all of it', { skip }, async () => {
    await openTask(page, 'Walls');
    await whenListed(page, files => files.length === 1);
    for (const colours of ['light', 'dark']) {
        await page.prefer({ colours, motion: 'reduce' });
        assert.deepEqual(await page.run(audit()), [], colours);
    }
    await page.prefer({});
    const names = await page.run(`return [...document.querySelectorAll('.file button')]
        .filter(each => each.checkVisibility()).map(each => each.ariaLabel)`);
    assert.deepEqual(names, ['Show slipway.png', 'Download slipway.png', 'More for slipway.png']);
    assert.equal(await page.run('return document.querySelector(".file-status").role'), 'status');
});

test('what a role may not do is not offered', { skip }, async () => {
    const eve = await another('eve');
    await openTask(eve.page, 'Walls');
    await whenListed(eve.page, files => files.length === 1 && files[0].picture > 0);
    assert.equal(await eve.page.run('return document.querySelector(".file-ways").hidden'), true);
    await dropOn(eve.page, '.file-section', [folder.put('eve.txt', 'eve')]);
    const menuOf = async each => {
        await press(each, 'More for slipway.png');
        return each.until(`
            const items = [...document.querySelectorAll('[role=menuitem]')].map(item => item.textContent);
            document.querySelector('[role=menu]')?.parentElement && document.activeElement.dispatchEvent(
                new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
            return items.length > 0 && items`, 'a menu');
    };
    assert.deepEqual(await menuOf(eve.page), ['Show', 'Download']);
    await openTask(eve.page, 'Keel');
    await eve.page.until('return document.querySelector(".file-section").hidden', 'nothing to see, nothing to do');
    const bob = await another('bob');
    await openTask(bob.page, 'Walls');
    await whenListed(bob.page, files => files.length === 1 && files[0].picture > 0);
    assert.deepEqual(await menuOf(bob.page), ['Show', 'Download', 'Rename …'], 'only its author deletes it, or an admin');
    await dropOn(bob.page, '.file-section', [folder.put('bob.txt', 'bob')]);
    await whenListed(bob.page, files => files.length === 2 && stored(files));
    await press(bob.page, 'More for bob.txt');
    await bob.page.until('return [...document.querySelectorAll("[role=menuitem]")].at(-1)?.textContent === "Delete"', 'his own');
    assert.deepEqual((await rowsOf('boat-Walls')).map(({ name }) => name).sort(), ['bob.txt', 'slipway.png']);
    assert.deepEqual([...eve.page.troubles, ...bob.page.troubles], []);
    for (const each of [eve, bob]) await plans.tools.send('Target.disposeBrowserContext', each);
});

test('a picture that would fill the memory is not decoded, and one that takes long holds nothing up', { skip }, async () => {
    await openTask(page, 'Keel');
    const before = await page.run('return counts.bitmaps');
    await dropOn(page, '.file-section', [folder.put('bomb.png', bomb(60_000, 60_000)), folder.put('cut.png', PHOTO.subarray(0, 20))]);
    await whenListed(page, files => files.length === 2 && stored(files));
    assert.equal(await page.run('return counts.bitmaps'), before);
    await page.run('isStuck = true');
    await dropOn(page, '.file-section', [folder.put('stuck.png', PHOTO)]);
    const files = await whenListed(page, found => found.length === 3 && stored(found) && found[0].picture === 600);
    await page.run('isStuck = false');
    assert.deepEqual(files.map(({ name, picture }) => [name, picture]),
        [['stuck.png', 600], ['bomb.png', 0], ['cut.png', 0]], 'without a small one, it is the file itself');
    assert.equal(await page.run('return counts.bitmaps'), before + 1);
});

test('it says how far it is', { skip }, async () => {
    await openTask(page, 'Keel');
    const paused = [];
    page.tools.listen(page.session, (method, params) => {
        page._note(method, params);
        if (method === 'Fetch.requestPaused') paused.push(params.requestId);
    });
    await page.send('Fetch.enable', { patterns: [{ urlPattern: '*/sync/uploads/*' }] });
    const share = () => page.run('return document.querySelector(".file progress:not([hidden])")?.value ?? null');
    const goOn = () => page.send('Fetch.continueRequest', { requestId: paused.shift() });
    await dropOn(page, '.file-section', [folder.put('film.bin', Buffer.alloc(36 * 2 ** 20, 'film'))]);
    await whenListed(page, ([file]) => file?.state === 'Sending, 0 %' && paused.length > 0);
    assert.equal(await share(), 0);
    await goOn();
    // How much comes with a request follows how quick the last ones were.
    const [{ state }] = await whenListed(page, ([file]) => /^Sending, [1-9]/.test(file.state) && paused.length > 0);
    assert.equal(`Sending, ${Math.floor(100 * await share())} %`, state);
    await whenListed(page, files => {
        while (paused.length > 0) goOn();
        return stored(files);
    });
    assert.equal(await share(), null);
    await page.send('Fetch.disable');
});

test('of many pictures only those in sight are downloaded', { skip }, async () => {
    const count = 60;
    for (let number = 0; number < count; number += 1) {
        const bytes = png(8, 8 + number);
        const file = createHash('sha256').update(bytes).digest('hex');
        const headers = { Authorization: `Bearer ${scene.alice}` };
        const address = `${plans.server.url}/api/v1/projects/boat/files/${file}/`;
        assert.equal((await fetch(address, { method: 'PUT', headers, body: bytes })).status, 201);
        const row = { name: `${number}.png`, media_type: 'image/png', size: bytes.length, file, task: 'boat-Oars' };
        await plans.server.api(scene.alice, 'POST', '/projects/boat/attachments/', row);
    }
    const { page: other, browserContextId } = await another('bob');
    await openTask(other, 'Oars');
    const asked = () => new Set(other.requests.filter(url => url.includes('/sync/files/'))).size;
    assert.equal((await whenListed(other, files => files.length > 0)).length, 50, 'and a button for the rest');
    await other.run('document.querySelector(".file-section").scrollIntoView({ block: "start" })');
    await whenListed(other, files => files.slice(0, 5).every(({ picture }) => picture === 8));
    assert.ok(asked() < 30, `${asked()} of ${count}`);
    await press(other, 'Show more');
    await whenListed(other, files => files.length === count);
    await other.run('document.querySelector(".files").lastElementChild.scrollIntoView()');
    await whenListed(other, files => files.at(-1).picture === 8);
    assert.deepEqual(troublesOf(other), []);
    await plans.tools.send('Target.disposeBrowserContext', { browserContextId });
});

test('a risk has files on its page', { skip }, async () => {
    const risk = await plans.server.api(scene.alice, 'POST', '/projects/boat/risks/',
        { title: 'Rot', probability: 2, impact: 3 });
    await page.run(`location.hash = '/row/risks/${risk.id}'`);
    await page.has('.file-section:not([hidden])');
    await dropOn(page, '.file-section', [folder.put('rot.png', png(20, 20))]);
    await whenListed(page, files => files.length === 1 && stored(files) && files[0].picture === 20);
    const rows = (await scene.rows()).filter(row => row.risk === risk.id);
    assert.deepEqual(rows.map(({ name, task, state }) => [name, task, state]), [['rot.png', null, 'stored']]);
    assert.deepEqual(await page.run(audit()), []);
    await page.run('location.hash = "/plan/boat"');
});

test('without a network it is in both windows, outlasts the browser, and arrives', { skip }, async () => {
    let tools = DevTools.start();
    const { profile } = tools;
    try {
        const first = await opened(tools, 'alice');
        await first.until('return (await navigator.serviceWorker.ready).active?.state === "activated"', 'files are kept', 60_000);
        const second = await opened(tools);
        await Promise.all([first, second].map(each => openTask(each, 'Mast')));
        await plans.front.stop();
        await first.until('return /Offline/.test(document.querySelector(".top").textContent)', 'it knows', 60_000);
        await dropOn(first, '.file-section', [folder.put('night.png', png(300, 200, { noise: true }))]);
        for (const each of [first, second]) {
            await whenListed(each, ([file]) => file?.state === 'Waits for a network' && file.picture > 0);
            await each.until('return /1 file to send/.test(document.querySelector(".top").textContent)', 'it is told');
        }
        await tools.kill();
        tools = DevTools.startWith(profile);
        const third = await tools.page(scene.url);
        await openTask(third, 'Mast');
        await whenListed(third, ([file]) => file?.state === 'Waits for a network' && file.picture > 0);
        await third.click('.file-picture:not([hidden])');
        await third.until('return document.querySelector("dialog .file-large img")?.naturalWidth === 300', 'it is large');
        await third.click('dialog .primary');
        await plans.front.run();
        await whenListed(third, files => files.length === 1 && stored(files));
        const [row] = await rowsOf('boat-Mast');
        assert.deepEqual([row.name, row.state], ['night.png', 'stored']);
        await third.until('return !/to send/.test(document.querySelector(".top").textContent)', 'nothing waits');
    } finally {
        await tools.stop();
    }
});

test('a project without room says so, and takes the file when there is some', { skip }, async () => {
    plans.server.settings = { [QUOTA]: '1' };
    await plans.server.halt();
    await plans.server.run();
    await page.open(`${plans.front.url}#/plan/small`);
    await page.until('return document.title.startsWith("small")', 'the other plan');
    await openTask(page, 'Walls');
    await dropOn(page, '.file-section', [folder.put('large.png', png(800, 600, { noise: true }))]);
    const [file] = await whenListed(page, files => files[0]?.kind === 'failed');
    assert.match(file.state, /no room .* Ask an admin of the project for more room, then try again/);
    await page.run('location.hash = "/unsent"');
    await page.until('return /large\\.png/.test(document.querySelector(".edit-card.bad")?.textContent)', 'it is under Unsent');
    assert.match(await page.text('.edit-card.bad'), /Not taken.*large\.png.*1\.4 MB.*no room/);
    plans.server.settings = {};
    await plans.server.halt();
    await plans.server.run();
    await page.open(`${plans.front.url}#/plan/small`);
    await openTask(page, 'Walls');
    await whenListed(page, files => files[0]?.kind === 'failed');
    await press(page, 'Try again');
    await whenListed(page, files => files.length === 1 && stored(files));
    assert.deepEqual((await scene.rows('small')).map(({ state }) => state), ['stored']);
});
