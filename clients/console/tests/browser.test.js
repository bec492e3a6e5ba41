import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { audit } from './support/audit.js';
import { hasChromium } from './support/devtools.js';
import { PASSWORD, Plans } from './support/plans.js';

// The console in a real browser. Each test goes on where the one before has ended.

const skip = hasChromium() ? false : 'there is no chromium';
const IMAGE = '<img src=x onerror=alert(1)>';
const BAR = 'boat-t-1-1-2';

let plans, alice, first, second;

before(async () => {
    if (skip) return;
    plans = await Plans.start();
    alice = await plans.user('alice');
    await plans.project(alice, 'boat', `Boat ${IMAGE}`, 40);
    await plans.server.api(alice, 'PATCH', '/tasks/boat-t-1-1-1/', { name: IMAGE });
});
after(() => skip || plans.stop());

const task = id => plans.server.api(alice, 'GET', `/tasks/${id}/`);
const inSync = page => page.until(
    'return document.querySelector(".sync-text")?.textContent === "In sync"', 'it is in sync', 20_000);

/** Waits until the server has this start of the bar, and the console says that nothing is unsent. */
async function sent(start, page = first) {
    for (let attempt = 0; (await task(BAR)).planned_start !== start; attempt += 1) {
        assert.ok(attempt < 1000, `${start} did not arrive`);
        await new Promise(resolve => setTimeout(resolve, 10));
    }
    await inSync(page);
}

/** The row of a task, once it is in sight: its cells by their class. */
const row = (page, name) => page.until(`
    const rows = [...document.querySelectorAll('.plan-rows .plan-row')].filter(each => !each.hidden);
    const found = rows.find(each => each.querySelector('.plan-name').textContent === ${JSON.stringify(name)});
    if (!found) return null;
    const cells = [...found.querySelectorAll('[role=gridcell]')];
    return Object.fromEntries(cells.map(cell => [cell.className, cell.textContent]));`, `the row ${name}`);

/** Waits until a cell of a row says this. */
const says = (page, name, cell, text) => page.until(`
    const rows = [...document.querySelectorAll('.plan-rows .plan-row')].filter(each => !each.hidden);
    const found = rows.find(each => each.querySelector('.plan-name').textContent === ${JSON.stringify(name)});
    return found?.querySelector('.${cell}').textContent === ${JSON.stringify(text)}`, `${name}: ${cell} is ${text}`);

/** Selects a task by a click on its row. Returns the box of its bar. */
async function select(page, name) {
    await row(page, name);
    await page.run(`
        const names = [...document.querySelectorAll('.plan-rows .plan-row:not([hidden]) .plan-name')];
        names.find(each => each.textContent === ${JSON.stringify(name)}).click();
        document.querySelector('.plan-list').focus();`);
    return bar(page);
}

/** The box of the selected bar, once it has come to rest. */
const bar = page => page.until(`
    const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
    await frame();
    await frame();
    const ring = document.querySelector('.plan-ring');
    if (ring.hidden) return null;
    const { left, right, top, height } = ring.getBoundingClientRect();
    return { left: left + 3, right: right - 3, y: top + height / 2, x: (left + right) / 2 };`, 'the bar is in sight');

test('wrong credentials are refused in words', { skip }, async () => {
    first = await plans.page();
    await plans.signIn(first, 'alice', 'wrong');
    await first.until('return /not right/.test(document.querySelector(".form-problem").textContent)');
    first.troubles.length = 0; // The browser writes each 401 to its console.
    assert.deepEqual(await first.run(audit()), []);
});

test('the keyboard alone goes from signing in to a plan', { skip }, async () => {
    await plans.signIn(first, 'alice');
    await first.has('.list a');
    assert.equal(await first.text('.list .name'), `Boat ${IMAGE}`);
    await first.run('document.activeElement.blur()');
    for (let step = 0; step < 20 && !await first.run('return document.activeElement.matches(".list a")'); step += 1) {
        await first.press('Tab');
    }
    await first.press('Enter');
    await row(first, IMAGE);
    assert.equal(await first.run('return document.querySelectorAll("img:not(.mark)").length'), 0, 'names are text');
});

test('a bar that is dragged moves in the other window, too', { skip }, async () => {
    second = await plans.page('#/plan/boat');
    const { name, planned_start: start } = await task(BAR);
    assert.equal(start, '2026-01-08');
    await row(second, name);
    const box = await select(first, name);
    await first.drag({ x: box.x, y: box.y }, { x: box.x + 4 * 14, y: box.y });
    await says(first, name, 'start', 'Jan 12');
    await says(second, name, 'start', 'Jan 12');
    await first.until(`return document.querySelector('.plan-tip').hidden === false`, 'the tip is there');
    await sent('2026-01-12');
});

test('the end of a bar that is dragged changes its length', { skip }, async () => {
    const { name, duration } = await task(BAR);
    const box = await select(first, name);
    await first.drag({ x: box.right - 2, y: box.y }, { x: box.right - 2 + 14, y: box.y });
    await says(first, name, 'days', `${duration + 1}`);
    await says(second, name, 'days', `${duration + 1}`);
});

test('Escape lets a bar go where it was', { skip }, async () => {
    const { name } = await task(BAR);
    const box = await select(first, name);
    const { start } = await row(first, name);
    await first.mouse('mouseMoved', box);
    await first.mouse('mousePressed', box, 1);
    await first.mouse('mouseMoved', { x: box.x + 70, y: box.y }, 1);
    await first.until(`return document.querySelector('[aria-selected=true] .start').textContent !== '${start}'`);
    await first.press('Escape');
    await first.mouse('mouseReleased', { x: box.x + 70, y: box.y });
    await says(first, name, 'start', start);
});

test('the keyboard moves a bar, changes its length, and opens its task', { skip }, async () => {
    const { name } = await task(BAR);
    await select(first, name);
    const { days } = await row(first, name);
    await first.press('ArrowRight', 'alt');
    await says(second, name, 'start', 'Jan 13');
    await first.press('ArrowLeft', 'alt');
    await first.press('ArrowLeft', 'alt');
    await says(second, name, 'start', 'Jan 9');
    await first.press('ArrowLeft', 'alt', 'shift');
    await says(second, name, 'days', `${days - 1}`);
    await first.press('Enter', 'ctrl');
    await first.until(`
        return document.querySelector('.plan-details h2')?.textContent === document.activeElement.value`, 'it is open');
    await first.fill('.plan-fields input', 'Renamed');
    await first.press('Tab');
    await row(second, 'Renamed');
    await first.press('Escape');
    await first.until('return document.activeElement.matches(".plan-list")', 'the focus is back');
    await sent('2026-01-09');
});

/** Opens the panel of a task, with the focus in its name, all of it selected. */
async function openPanel(name) {
    await select(first, name);
    await first.press('Enter', 'ctrl');
    await first.until(`return document.activeElement.value === ${JSON.stringify(name)}`, 'its name has the focus');
    await first.run('document.activeElement.select()');
}

test('Escape in a field of the panel takes back what was typed, and a second one closes the panel', { skip }, async () => {
    await openPanel('Renamed');
    await first.type('By mistake');
    await first.press('Escape');
    await first.until('return document.activeElement.value === "Renamed"', 'what was typed is gone');
    await first.press('Escape');
    await first.until('return document.querySelector(".plan-details").hidden', 'it is closed');
    await inSync(first);
    assert.equal((await task(BAR)).name, 'Renamed');
});

test('the panel asks before it writes over what somebody else has written meanwhile', { skip }, async () => {
    for (const [way, theirs, stays] of [['Keep theirs', 'Theirs', 'Theirs'], ['Write mine', 'Hers', 'Mine']]) {
        const { name } = await task(BAR);
        await openPanel(name);
        // Before anything is typed, too: a field that has the focus does not change under the hand.
        if (stays === theirs) await first.type('Mine');
        await plans.server.api(alice, 'PATCH', `/tasks/${BAR}/`, { name: theirs });
        await row(first, theirs);
        if (stays !== theirs) await first.type('Mine');
        await first.press('Tab');
        await first.has('dialog[open]');
        assert.match(await first.text('dialog'), new RegExp(`${theirs}.*Mine`, 's'));
        assert.deepEqual(await first.run(audit()), []);
        await first.run(`[...document.querySelectorAll('dialog button')]
            .find(each => each.textContent === '${way}').click()`);
        await row(second, stays);
        await inSync(first);
        assert.equal((await task(BAR)).name, stays);
        await first.press('Escape');
        await first.until('return document.querySelector(".plan-details").hidden', 'it is closed');
    }
    await plans.server.api(alice, 'PATCH', `/tasks/${BAR}/`, { name: 'Renamed' });
    await row(first, 'Renamed');
    await row(second, 'Renamed');
});

test('rows close and open', { skip }, async () => {
    await first.press('Home', 'ctrl');
    await first.press('ArrowLeft');
    await first.until('return document.querySelector("[aria-level=\'1\']").getAttribute("aria-expanded") === "false"');
    assert.equal(await first.run('return document.querySelector(".plan-list").getAttribute("aria-rowcount")'), '2');
    await first.press('ArrowRight');
    await row(first, 'Renamed');
});

test('the way back leads to where one was', { skip }, async () => {
    const place = `const { scrollLeft, scrollTop } = document.querySelector('.plan-scroll');
        return [scrollLeft, scrollTop, document.querySelector('[aria-selected=true] .plan-name')?.textContent].join()`;
    await first.click('[data-zoom=day]');
    await first.run('Object.assign(document.querySelector(".plan-scroll"), { scrollLeft: 700, scrollTop: 56 })');
    await select(first, 'Renamed');
    const before = await first.run(place);
    await first.run('location.hash = "#/projects"');
    await first.has('.list a');
    await first.run('history.back()');
    await row(first, 'Renamed');
    await first.until(`const now = (() => { ${place} })(); return now === '${before}'`, before);
    await first.click('[data-zoom=week]');
});

for (const colours of ['light', 'dark']) {
    test(`names and contrast, ${colours}`, { skip }, async () => {
        await first.prefer({ colours, motion: 'reduce' });
        await select(first, 'Renamed');
        await first.press('Enter', 'ctrl');
        await first.has('.plan-fields');
        await first.click('[popovertarget=plan-keys]');
        assert.deepEqual(await first.run(audit()), []);
        await first.press('Escape');
        await first.run('document.querySelector(".plan-details-head button")?.click()');
    });
}

test('without a network: an edit waits, goes out afterwards, and is in the other window', { skip }, async () => {
    await first.prefer({ colours: 'light' });
    await Promise.all([first, second].map(page => page.offline(true)));
    await select(first, 'Renamed');
    await first.press('ArrowRight', 'alt');
    await first.until('return /1 unsent/.test(document.querySelector(".sync-text").textContent)', 'it says so', 30_000);
    await first.has('[aria-selected=true] .unsent-mark');
    assert.equal((await task(BAR)).planned_start, '2026-01-09');
    await plans.server.api(alice, 'PATCH', `/tasks/${BAR}/`, { percent_complete: 75 });
    await Promise.all([first, second].map(page => page.offline(false)));
    await says(first, 'Renamed', 'percent', '75 %');
    await sent('2026-01-12');
});

test('a server that dies is seen within seconds, and so is that it is back', { skip }, async () => {
    await inSync(first);
    await plans.front.stop();
    await first.until('return /^Offline since \\d/.test(document.querySelector(".sync-text").textContent)', 'it says so',
        8000);
    await plans.front.run();
    await first.until('return document.querySelector(".sync-text").textContent === "In sync"', 'it is back', 60_000);
    first.troubles.length = 0; // The browser writes each failed request to its console.
});

test('without a server: the console starts, and does not lose edits by signing out', { skip }, async () => {
    await second.until('return (await navigator.serviceWorker.ready).active?.state === "activated"', 'files are kept');
    await second.close();
    await plans.front.stop();
    await first.open('about:blank');
    await first.open(`${plans.front.url}#/plan/boat`);
    await select(first, 'Renamed');
    await first.press('ArrowRight', 'alt');
    await says(first, 'Renamed', 'start', 'Jan 13');
    await first.until('return /^Offline · 1 unsent/.test(document.querySelector(".sync-text").textContent)', 'so');
    await first.click('.sign-out');
    await first.has('dialog[open]');
    assert.deepEqual(await first.run(audit()), []);
    await first.press('Enter');
    await first.until('return !document.querySelector("dialog")', 'the way out has the focus');
    await plans.front.run();
    await first.run('dispatchEvent(new Event("online"))');
    await sent('2026-01-13');
});

test('an edit that the server refuses is shown with the reason', { skip }, async () => {
    const carol = await plans.user('carol');
    await plans.server.member('boat', 'carol', 'owner');
    await first.offline(true);
    await select(first, 'Renamed');
    await first.press('ArrowRight', 'alt');
    await first.until('return /1 unsent/.test(document.querySelector(".sync-text").textContent)', 'it waits', 30_000);
    await plans.server.member('boat', 'alice', 'viewer');
    await first.offline(false);
    await first.has('.trouble', 30_000);
    assert.match(await first.text('.trouble p'), /“Renamed” was not taken: .{10}/);
    await says(first, 'Renamed', 'start', 'Jan 13');
    await first.click('.trouble button');
    await first.until('return !document.querySelector(".trouble")');
    assert.equal((await plans.server.api(carol, 'GET', `/tasks/${BAR}/`)).planned_start, '2026-01-13');
});

test('a viewer moves nothing', { skip }, async () => {
    const box = await select(first, 'Renamed');
    await first.drag({ x: box.x, y: box.y }, { x: box.x + 70, y: box.y });
    await first.press('ArrowRight', 'alt');
    await first.press('Enter', 'ctrl');
    await first.until('return document.querySelector(".plan-details").hidden === false');
    assert.equal(await first.run('return document.querySelector(".plan-fields")'), null);
    assert.equal((await row(first, 'Renamed')).start, 'Jan 13');
    await first.press('Escape');
});

test('a session that ends leaves the copy, and goes on after signing in', { skip }, async () => {
    plans.setPassword('alice', `${PASSWORD} new`);
    await first.has('.banner', 30_000);
    await row(first, 'Renamed');
    await first.click('.banner button');
    await first.has('dialog[open] input');
    await first.fill('dialog input[name=password]', `${PASSWORD} new`);
    await first.press('Enter');
    await first.until('return !document.querySelector(".banner") && !document.querySelector("dialog")', 'it goes on');
    await inSync(first);
});

test('nothing is wider than a phone', { skip }, async () => {
    await first.resize(320, 640);
    for (const route of ['#/projects', '#/plan/boat']) {
        await first.run(`location.hash = '${route}'`);
        await first.until('return !document.querySelector(".loading")');
        const widths = await first.run('return [document.documentElement.scrollWidth, innerWidth]');
        assert.ok(widths[0] <= widths[1], `${route}: ${widths}`);
        assert.deepEqual(await first.run(audit()), []);
    }
});

test('a newer build is offered, and takes over as a whole', { skip }, async t => {
    if (!('edition' in plans.front)) return t.skip('the server serves its own build');
    const build = 'return (await caches.keys()).join()';
    const before = await first.run(build);
    plans.front.edition = 'newer';
    await first.open('about:blank');
    await first.open(`${plans.front.url}#/plan/boat`);
    await first.has('.notice button:not(.quiet)', 20_000);
    await row(first, 'Renamed');
    await first.click('.notice button:not(.quiet)');
    const isNew = `const now = await (async () => { ${build} })(); return now !== '${before}' && !now.includes(',')`;
    await first.until(isNew, 'only the newer build is kept');
    await row(first, 'Renamed');
});

test('without a secure context it says what to do, and goes on online only', { skip }, async () => {
    const page = await plans.tools.page();
    plans.pages.push(page);
    await page.open(plans.front.url.replace('127.0.0.1', 'plans.test'));
    await page.has('h1');
    assert.equal(await page.text('h1'), 'This address is not secure');
    assert.deepEqual(await page.run(audit()), []);
    await page.click('.insecure button');
    await plans.signIn(page, 'carol');
    await page.click('.list a');
    await select(page, 'Renamed');
    assert.match(await page.text('.banner'), /^Online only/);
    await page.press('ArrowLeft', 'alt');
    await sent('2026-01-12', page);
    await page.open(plans.front.url.replace('127.0.0.1', 'plans.test'));
    await page.until('return (await indexedDB.databases()).length === 0', 'the copy has gone with the window');
    assert.equal(await page.run('return Object.keys(localStorage).join()'), '');
    await page.close();
    for (const url of page.requests.splice(0)) assert.match(url, /^(http:\/\/plans\.test:|data:|about:)/);
});

test('signing out wipes the copy, and a token signs in, too', { skip }, async () => {
    await first.click('.sign-out');
    await first.has('input[name=username]');
    await first.until('return location.hash === "#/"');
    await first.click('.sign-in .link');
    await first.fill('input[name=token]', ` ${alice}`);
    await first.press('Enter');
    await first.has('.list a');
});

test('no errors, no reports of the policy, and no request to another host', { skip }, async () => {
    // The browser notes each request that fails, and each 401, as an error of its own; without HTTPS also that it
    // ignores the policy for openers.
    const isExpected = trouble => /net::ERR_|status of 401|Opener-Policy header has been ignored/.test(trouble);
    for (const page of plans.pages) {
        assert.deepEqual(page.troubles.filter(trouble => !isExpected(trouble)), []);
        const { origin } = new URL(plans.front.url);
        const elsewhere = page.requests.filter(url => !url.startsWith(origin) && !/^(data|about):/.test(url));
        assert.deepEqual(elsewhere, []);
    }
});
