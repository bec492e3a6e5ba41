import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { audit } from './support/audit.js';
import { barOf, rowOf } from './support/chart.js';
import { hasChromium } from './support/devtools.js';
import { Plans } from './support/plans.js';

// What the chart shows and says, in a real browser. Each test goes on where the one before has ended.

const skip = hasChromium() ? false : 'there is no chromium';

let plans, alice, page;

const addTasks = (project, tasks) => Promise.all(tasks.map(task =>
    plans.server.api(alice, 'POST', `/projects/${project}/tasks/`, task)));

before(async () => {
    if (skip) return;
    plans = await Plans.start();
    alice = await plans.user('alice');
    await plans.server.api(alice, 'POST', '/projects/', { id: 'past', name: 'Past', start_date: '2024-03-04' });
    await addTasks('past', [
        { id: 'a', name: 'First', planned_start: '2024-03-04', duration: 5, wbs_path: '1' },
        { id: 'b', name: 'Second', planned_start: '2024-03-11', duration: 5, wbs_path: '2' },
    ]);
    await plans.project(alice, 'boat', 'Boat', 120);
    page = await plans.page();
    await plans.signIn(page, 'alice');
    await page.has('.list a', 60_000);
});
after(() => skip || plans.stop());

async function open(project, name) {
    await page.run(`location.hash = '#/plan/${project}'`);
    await row(name);
}

const row = name => rowOf(page, name);
const bar = name => barOf(page, name);

/** Where the line of today is drawn, as a part of the chart's width; null if it is out of sight. */
const today = () => page.run(`
    const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
    await frame();
    await frame();
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.color = 'var(--today)';
    const wanted = getComputedStyle(probe).color.match(/\\d+/g).slice(0, 3).join();
    probe.remove();
    const canvas = document.querySelector('.plan-canvas');
    const { data, width } = canvas.getContext('2d').getImageData(0, canvas.height - 4, canvas.width, 1);
    for (let x = 0; x < width; x += 1) if (data.slice(4 * x, 4 * x + 3).join() === wanted) return x / width;
    return null`);

test('today is within reach, long after a plan\'s end and at every zoom', { skip }, async () => {
    await open('past', 'Second');
    for (const zoom of ['week', 'day', 'month', 'quarter']) {
        await page.click(`[data-zoom=${zoom}]`);
        await page.run('[...document.querySelectorAll("button")].find(each => each.textContent === "Today").click()');
        const place = await today();
        assert.ok(place > .25 && place < .35, `${zoom}: ${place}`);
    }
    await page.click('[data-zoom=week]');
});

test('a viewer sees Read only, and a drag says why it moves nothing', { skip }, async () => {
    const carol = await plans.user('carol');
    await plans.server.member('past', 'carol', 'owner');
    await plans.server.member('past', 'alice', 'viewer');
    await page.has('.read-only:not([hidden])');
    assert.equal(await page.text('.read-only'), 'Read only');
    assert.deepEqual(await page.run(audit()), []);
    const { x, y } = await bar('Second');
    await page.drag({ x, y }, { x: x + 60, y });
    await page.until('return /needs the role Member/.test(document.querySelector("#notices").textContent)');
    assert.equal((await plans.server.api(alice, 'GET', '/tasks/b/')).planned_start, '2024-03-11');
    await page.run('document.querySelectorAll(".notice button").forEach(each => each.click())');
    await page.press('ArrowRight', 'alt');
    await page.until('return /needs the role Member/.test(document.querySelector("#notices").textContent)');
    await page.run('document.querySelectorAll(".notice button").forEach(each => each.click())');
    await plans.server.member('past', 'alice', 'owner');
    await page.until('return document.querySelector(".read-only").hidden', 'it is not read only any more');
    await plans.server.api(carol, 'POST', '/projects/past/archive/', {});
    await page.until('return !document.querySelector(".read-only").hidden', 'it is archived');
    await page.drag({ x, y }, { x: x + 60, y });
    await page.until('return /project is archived/.test(document.querySelector("#notices").textContent)');
});

test('a drag of a parent says why it moves nothing', { skip }, async () => {
    await open('boat', 'Section 1.1');
    const { x, y } = await bar('Section 1.1');
    await page.drag({ x, y }, { x: x + 60, y });
    await page.until('return /the tasks below it/.test(document.querySelector("#notices").textContent)');
});

test('each level of a deep plan is to be told from the one above', { skip }, async () => {
    await plans.server.api(alice, 'POST', '/projects/', { id: 'deep', name: 'Deep', start_date: '2026-01-05' });
    const tasks = Array.from({ length: 14 }, (_, level) =>
        ({ id: `deep-${level}`, name: `Level ${level + 1}`, parent: level > 0 ? `deep-${level - 1}` : null }));
    for (const task of tasks) await addTasks('deep', [task]);
    await open('deep', 'Level 14');
    const levels = await page.run(`
        const rows = [...document.querySelectorAll('.plan-rows .plan-row:not([hidden])')];
        return rows.map(row => {
            const name = row.querySelector('.plan-name');
            const number = getComputedStyle(name, '::before').content;
            return { level: Number(row.getAttribute('aria-level')), number, left: name.getBoundingClientRect().left };
        }).sort((one, other) => one.level - other.level)`);
    for (const [place, { left, level, number }] of levels.entries()) {
        assert.equal(number, level > 9 ? `"${level}"` : 'none');
        assert.ok(place === 0 || left > levels[place - 1].left + 1, `level ${level} begins at ${left}`);
    }
});

test('a printed plan has all rows with their bars, and its dates on each page', { skip }, async () => {
    await open('boat', 'Section 1.1');
    const pages = async options => {
        const { data } = await page.send('Page.printToPDF', { preferCSSPageSize: true, ...options });
        return Buffer.from(data, 'base64').toString('latin1').match(/\/Type\s*\/Page\b/g).length;
    };
    await page.send('Emulation.setEmulatedMedia', { media: 'print' });
    // What prints is loaded after the first picture.
    await page.until(`dispatchEvent(new Event('beforeprint'));
        return document.querySelector('.plan-print table') !== null`, 'the printed plan');
    const printed = await page.run(`
        const rows = [...document.querySelectorAll('.plan-print tbody tr')];
        return { count: rows.length, bars: rows.filter(each => each.querySelector('rect, polygon, .summary')).length,
            isSeen: rows[0].checkVisibility(), last: rows.at(-1).textContent,
            repeats: getComputedStyle(document.querySelector('.plan-print thead')).display,
            others: [...document.querySelectorAll('.plan-body, .plan-bar, header')]
                .filter(each => each.checkVisibility()).length }`);
    assert.equal(printed.count, 120);
    assert.equal(printed.bars, 120);
    assert.equal(printed.isSeen, true);
    assert.equal(printed.repeats, 'table-header-group');
    assert.equal(printed.others, 0);
    assert.match(printed.last, /^[A-Z]/);
    await page.run('dispatchEvent(new Event("afterprint"))');
    assert.equal(await page.run('return document.querySelector(".plan-print")'), null);
    await page.send('Emulation.setEmulatedMedia', { media: '' });
    assert.ok(await pages({ landscape: true }) >= 3, 'it goes over several pages');
});

test('who prints before what prints is there is told so on paper, and not shown the screen', { skip }, async () => {
    const block = urls => page.send('Network.setBlockedURLs', { urls });
    await page.send('Network.setBypassServiceWorker', { bypass: true });
    await block(['*/print-view.js*']);
    const loaded = new Promise(resolve => { page._loaded = resolve; });
    await page.send('Page.reload');
    await loaded;
    await open('boat', 'Section 1.1');
    await page.send('Emulation.setEmulatedMedia', { media: 'print' });
    await page.run('dispatchEvent(new Event("beforeprint"))');
    assert.match(await page.text('.plan-print'), /Print it again in a moment/);
    assert.equal(await page.run('return document.querySelector(".plan-body").checkVisibility()'), false);
    await page.run('dispatchEvent(new Event("afterprint"))');
    await block([]);
    await page.until(`dispatchEvent(new Event('beforeprint'));
        return document.querySelector('.plan-print table') !== null`, 'the printed plan');
    await page.run('dispatchEvent(new Event("afterprint"))');
    await page.send('Emulation.setEmulatedMedia', { media: '' });
    await page.send('Network.setBypassServiceWorker', { bypass: false });
    page.troubles.length = 0; // The browser notes the request that it has blocked.
});

/** Puts a finger down, and lifts it there or elsewhere. */
async function touch(from, to = from) {
    const send = (type, ...touchPoints) => page.send('Input.dispatchTouchEvent', { type, touchPoints });
    await send('touchStart', from);
    for (let step = 1; step <= 12 && to !== from; step += 1) {
        await send('touchMove', { x: from.x + (to.x - from.x) * step / 12, y: from.y + (to.y - from.y) * step / 12 });
    }
    await send('touchEnd');
}

test('on a phone a finger scrolls the bars, and one tap opens a task', { skip }, async () => {
    const phone = { width: 320, height: 640, deviceScaleFactor: 2, mobile: true };
    await page.send('Emulation.setDeviceMetricsOverride', phone);
    await page.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    await open('boat', 'Section 1.1');
    const scrolled = 'return document.querySelector(".plan-scroll").scrollLeft';
    const before = await page.run(scrolled);
    const { x, y } = await page.run(`
        const box = document.querySelector('.plan-canvas').getBoundingClientRect();
        return { x: box.x + box.width / 2, y: box.y + 150 }`);
    await touch({ x, y }, { x: x - 120, y });
    await page.until(`const now = (() => { ${scrolled} })(); return now > ${before} + 60`, 'it has scrolled');
    assert.equal(await page.run('return document.querySelector(".plan-details").hidden'), true);
    // A finger that comes down while the chart still runs only stops it.
    await page.until(`
        const at = () => { ${scrolled} };
        const before = at();
        for (let frame = 0; frame < 20; frame += 1) await new Promise(resolve => requestAnimationFrame(resolve));
        return at() === before`, 'it has come to rest');
    await touch({ x, y });
    await page.until('return !document.querySelector(".plan-details").hidden', 'the task is open');
    await page.run('document.querySelector(".plan-details-head button").click()');
    await touch(await row('Section 1.1'));
    await page.until('return !document.querySelector(".plan-details").hidden', 'the task is open');
    assert.equal(await page.text('.plan-details h2'), 'Section 1.1');
    await page.run('document.querySelector(".plan-details-head button").click()');
    await page.send('Emulation.setTouchEmulationEnabled', { enabled: false });
    await page.resize(1280, 800);
});

test('no errors and no reports of the policy', { skip }, () => assert.deepEqual(page.troubles, []));
