import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { hasChromium } from './support/devtools.js';
import { FilePlans, clickOn, downloadsInto, dropOn, openTask, whenListed, windowAt } from './support/files.js';
import { HOSTILE } from './support/pictures.js';
import { Plans } from './support/plans.js';

// Files that want to run as the console, and names that want to lead somewhere else, in a real browser. What a file of
// HOSTILE does is to leave `pwned` in the storage of the origin that it runs in.

const skip = hasChromium() ? false : 'there is no chromium';
const PICTURES = ['both.gif', 'both.html', 'noted.png'];
const NAMES = [
    '\u202efdp.exe', 'a/b\\c.txt', '..%2f..%2fetc', '<img src=x onerror=alert(1)>.png', `${'W'.repeat(251)}.txt`,
    '\u2066one\u2069 two.txt', 'CON', '.profile',
];
let scene, plans, page, folder, next;

before(async () => {
    if (skip) return;
    scene = await FilePlans.start(['Walls', 'Roof']);
    ({ plans, folder } = scene);
    page = await windowAt(plans.tools, scene.url, { user: 'alice' });
    next = await downloadsInto(page, folder.path);
});
after(() => scene?.stop());

const pwned = () => page.run('return localStorage.getItem("pwned")');
const targets = async () => (await plans.tools.send('Target.getTargets')).targetInfos
    .filter(({ type }) => type === 'page' || type === 'iframe').map(({ url }) => url);

test('what claims to be a picture is shown only if it is one, and no script of any runs', { skip }, async () => {
    await openTask(page, 'Walls');
    await dropOn(page, '.file-section', [...HOSTILE].map(([name, bytes]) => folder.put(name, bytes)));
    const all = files => files.length === HOSTILE.size && files.every(({ kind, state }) => kind === 'stored' && !state);
    const files = await whenListed(page, found => all(found) && found.filter(({ picture }) => picture > 0).length === 3);
    assert.deepEqual(files.filter(({ picture }) => picture > 0).map(({ name }) => name).sort(), PICTURES);
    assert.deepEqual([...new Set(await page.run('return counts.types'))].sort(), ['image/jpeg'],
        'the small pictures are drawn anew');
    for (const name of PICTURES) {
        await clickOn(page, `Show ${name}`);
        await page.has('dialog .file-large img');
        await page.click('dialog .primary');
        await page.until('return document.querySelector("dialog") === null', 'it is closed');
    }
    assert.equal(await pwned(), null);
});

test('each is downloaded as bytes of no type, and no address leads to one', { skip }, async () => {
    const before = await targets();
    for (const [name, bytes] of HOSTILE) {
        await page.run('counts.types = []');
        await clickOn(page, `Download ${name}`);
        const done = await next();
        assert.ok(done.url.startsWith('blob:'));
        assert.deepEqual(readFileSync(done.path), bytes);
        const type = { 'noted.png': 'image/png', 'both.gif': 'image/gif', 'both.html': 'image/gif', 'script.gif': 'image/gif' };
        assert.deepEqual(await page.run('return counts.types'), [type[name] ?? 'application/octet-stream'], name);
    }
    assert.deepEqual(await targets(), before, 'no tab and no frame was opened');
    assert.deepEqual(await page.run('return [...document.querySelectorAll("a[href^=blob], iframe, object, embed")].length'), 0);
    assert.equal(await pwned(), null);
});

test('the server says of each what it is, and that it is for downloading', { skip }, async () => {
    const results = await scene.rows();
    assert.equal(results.length, HOSTILE.size);
    for (const { name, file, media_type: claimed } of results) {
        const address = `${plans.front.url.replace(/console\/$/, '')}api/v1/projects/boat/sync/files/${file}/`;
        const answer = await fetch(address, { headers: { Authorization: `Bearer ${scene.alice}` } });
        const type = { html: 'text/html', svg: 'image/svg+xml', gif: 'image/gif', png: 'image/png' }[name.split('.')[1]];
        assert.equal(claimed, type, 'the row has what the file claims');
        assert.match(answer.headers.get('Content-Type'), /^(application\/octet-stream|image\/(png|gif))$/, name);
        assert.equal(answer.headers.get('Content-Disposition')?.split(';')[0], 'attachment', name);
        assert.equal(answer.headers.get('X-Content-Type-Options'), 'nosniff');
    }
});

test('names are shown as text that turns nothing, and saved under a safe name', { skip }, async () => {
    const digests = [];
    for (const [place, name] of NAMES.entries()) {
        const bytes = `bytes ${place}`;
        const hash = [...new Uint8Array(await crypto.subtle.digest('SHA-256', Buffer.from(bytes)))]
            .map(byte => byte.toString(16).padStart(2, '0')).join('');
        const address = `${plans.server.url}/api/v1/projects/boat/files/${hash}/`;
        const answer = await fetch(address, { method: 'PUT', headers: { Authorization: `Bearer ${scene.alice}` }, body: bytes });
        assert.equal(answer.status, 201);
        digests.push(hash);
        await plans.server.api(scene.alice, 'POST', '/projects/boat/attachments/', { name, task: 'boat-Roof', file: hash });
    }
    // A browser stops a tab that downloads many files, so this one is another.
    const other = await windowAt(plans.tools, scene.url);
    await openTask(other, 'Roof');
    const files = await whenListed(other, found => found.length === NAMES.length && found.every(({ kind }) => kind === 'stored'));
    for (const { name } of files) assert.doesNotMatch(name, /[\u202a-\u202e\u2066-\u2069]/);
    const isInside = await other.run(`
        const { left, right } = document.querySelector('.plan-details-body').getBoundingClientRect();
        return [...document.querySelectorAll('.file-name, .file-more')].every(each => {
            const box = each.getBoundingClientRect();
            return box.left >= left && box.right <= right && box.height < 80;
        })`);
    assert.ok(isInside, 'the longest name pushes nothing out of the panel');
    const saved = new Map();
    const labels = await other.run('return [...document.querySelectorAll(".file-name")].map(each => each.ariaLabel)');
    for (const label of labels) {
        await clickOn(other, label);
        const { path, name } = await next();
        saved.set(NAMES[Number(readFileSync(path, 'utf8').split(' ')[1])], name);
    }
    assert.equal(saved.size, NAMES.length);
    for (const [name, under] of saved) {
        assert.doesNotMatch(under, /[/\\\u202a-\u202e\u2066-\u2069\u0000-\u001f<>:"|?*]|^\.|^con$/i, name);
        assert.ok(under.length > 0 && under.length <= 200, under);
    }
    assert.equal(saved.get('\u202efdp.exe'), 'fdp.exe');
    assert.equal(saved.get('a/b\\c.txt'), 'a_b_c.txt');
    assert.match(saved.get(NAMES[4]), /^W+\.txt$/);
    assert.deepEqual(other.troubles.filter(text => /CSP|Content Security|Trusted/i.test(text)
        && !text.includes('blob:')), []);
    assert.equal(await pwned(), null);
});

test('a picture that somebody opens in a tab runs nothing, and HTML that is opened so has the console\'s policy', { skip },
    async () => {
        const open = async (bytes, type) => {
            const address = await page.run(`
                const blob = new Blob([new Uint8Array(${JSON.stringify([...bytes])})], { type: '${type}' });
                return URL.createObjectURL(blob)`);
            // A browser opens tabs for whoever has pressed something.
            await page.send('Runtime.evaluate', { expression: `void open('${address}')`, userGesture: true });
            for (let attempt = 0; !(await targets()).includes(address); attempt += 1) {
                assert.ok(attempt < 2000, `${address} was never opened`);
                await new Promise(resolve => setTimeout(resolve, 10));
            }
            const { targetInfos } = await plans.tools.send('Target.getTargets');
            const { targetId } = targetInfos.find(({ url }) => url === address);
            const { sessionId } = await plans.tools.send('Target.attachToTarget', { targetId, flatten: true });
            const expression = `new Promise(resolve => document.readyState === 'complete' ? resolve(document.contentType)
                : addEventListener('load', () => resolve(document.contentType)))`;
            const { result } = await plans.tools.send('Runtime.evaluate', { expression, awaitPromise: true }, sessionId);
            await plans.tools.send('Target.closeTarget', { targetId });
            return result.value;
        };
        for (const name of PICTURES.slice(0, 2)) assert.equal(await open(HOSTILE.get(name), 'image/gif'), 'image/gif');
        assert.equal(await pwned(), null);
        // What a mistake with types would open.
        assert.equal(await open(HOSTILE.get('page.html'), 'text/html'), 'text/html');
        assert.equal(await pwned(), null, 'the policy of the console holds there as well');
    });
