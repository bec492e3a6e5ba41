import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { audit } from './support/audit.js';
import { whyNoBrowser } from './support/browsers.js';
import { barOf, rowOf } from './support/chart.js';
import { limitOf, PlanList } from './support/plan-list.js';
import { Plans } from './support/plans.js';

// Links in the chart, in a real browser. Each test goes on where the one before has ended.

const skip = whyNoBrowser();

let plans, alice, page;

const TASKS = [
    { id: 'dig', name: 'Dig', planned_start: '2026-11-30', duration: 5, wbs_path: '1' },
    { id: 'pour', name: 'Pour', planned_start: '2026-12-07', duration: 5, wbs_path: '2' },
    { id: 'walls', name: 'Walls', wbs_path: '3' },
    { id: 'north', name: 'North wall', parent: 'walls', planned_start: '2026-12-14', duration: 4, wbs_path: '3.1' },
    { id: 'south', name: 'South wall', parent: 'walls', planned_start: '2026-12-16', duration: 4, wbs_path: '3.2' },
    { id: 'done', name: 'Shell done', planned_start: '2026-12-22', duration: 0, is_milestone: true, wbs_path: '4' },
];

before(async () => {
    if (skip) return;
    plans = await Plans.start();
    alice = await plans.user('alice');
    await plans.server.api(alice, 'POST', '/projects/', { id: 'house', name: 'House', start_date: '2026-11-30' });
    for (const task of TASKS) await plans.server.api(alice, 'POST', '/projects/house/tasks/', task);
    page = await plans.page();
    await plans.signIn(page, 'alice');
    await page.has('.list a', 60_000);
    await page.run('location.hash = "#/plan/house"');
    await row('Pour');
});
after(() => skip || plans.stop());

const linksOnServer = async () => (await plans.server.api(alice, 'GET', '/projects/house/dependencies/')).results
    .map(({ predecessor, successor, dep_type: kind, lag }) => [predecessor, successor, kind, lag].join(' ')).sort();

/** Waits until the server has exactly these links. */
async function links(...wanted) {
    let found;
    for (let attempt = 0; attempt < 1200; attempt += 1) {
        found = await linksOnServer();
        if (found.join() === wanted.join()) return;
        await new Promise(resolve => setTimeout(resolve, 25));
    }
    assert.deepEqual(found, wanted);
}

const row = name => rowOf(page, name);
const bar = name => barOf(page, name);

const handle = end => page.until(`
    const handle = document.querySelector('.plan-handle.${end}');
    if (handle.hidden) return null;
    const { left, top, width, height } = handle.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };`, `the handle at the ${end}`);

/** Pulls a link from one end of a bar to one end of another. */
async function pull(from, end, to, into) {
    const target = await bar(to);
    await bar(from);
    const place = { x: into === 'start' ? target.left + 2 : target.right - 2, y: target.y };
    await page.drag(await handle(end), place);
}

const tip = () => page.text('.plan-tip');
const lists = () => page.run(`return [...document.querySelectorAll('.plan-details .plan-links li')]
    .map(each => [...each.children].map(({ textContent }) => textContent).filter(Boolean).join(' | '))`);
const onlyLink = async () => (await plans.server.api(alice, 'GET', '/projects/house/dependencies/')).results[0];

/** A place on the vertical line of the arrow into a bar's start. */
async function arrowInto(name) {
    const { left, y } = await bar(name);
    return { x: left - 8, y: y - 12 };
}

test('a link is pulled from bar to bar, and the ends decide its kind', { skip }, async () => {
    for (const [end, into, kind] of [['finish', 'start', 'FS'], ['start', 'start', 'SS'], ['finish', 'finish', 'FF'],
        ['start', 'finish', 'SF']]) {
        await pull('Dig', end, 'Pour', into);
        await links(`dig pour ${kind} 0`);
        const { id } = await onlyLink();
        await plans.server.api(alice, 'DELETE', `/dependencies/${id}/`);
        await links();
        await page.until('return document.querySelector(".sync-text").textContent === "In sync"');
    }
    await pull('Dig', 'finish', 'Pour', 'start');
    await links('dig pour FS 0');
});

test('an arrow that is pointed at says what it is, and opens with a click', { skip }, async () => {
    const place = await arrowInto('Pour');
    await page.mouse('mouseMoved', place);
    await page.until('return /Dig.*Pour.*finish to start/i.test(document.querySelector(".plan-tip").textContent)');
    await page.drag(place, place);
    await page.has('.link-box');
    assert.deepEqual(await page.run(audit()), []);
    await page.until('return document.activeElement.name === "lag"', 'the lag has the focus');
    await page.type('2');
    await page.press('Enter');
    await links('dig pour FS 2');
    await page.until('return document.activeElement.matches(".plan-list")', 'the focus is back in the list');
});

test('a broken link is red and says why: under the mouse, when it is opened, and in the panel', { skip }, async () => {
    const place = await arrowInto('Pour');
    await page.mouse('mouseMoved', place);
    const why = /“Pour” begins too early: after “Dig”, not before .*December 9/;
    await page.until('return /too early/.test(document.querySelector(".plan-tip").textContent)');
    assert.match(await tip(), why);
    await page.drag(place, place);
    await page.has('.link-box .link-problem');
    assert.match(await page.text('.link-box .link-problem'), why);
    await page.press('Escape');
    await bar('Pour');
    await page.press('Escape');
    await page.press('Enter', 'ctrl');
    await page.until('return document.querySelectorAll(".plan-details .plan-links li").length === 1');
    assert.match((await lists()).join(), why);
    await page.press('Escape');
});

test('the kind of a link is chosen, and what would be there twice is refused', { skip }, async () => {
    const place = await arrowInto('Pour');
    await page.drag(place, place);
    await page.click('.link-box input[value=SS]');
    await page.click('.link-box .primary');
    await links('dig pour SS 2');
    await pull('Dig', 'start', 'Pour', 'start');
    await page.until('return /are linked so already/.test(document.querySelector("#notices").textContent)');
    await links('dig pour SS 2');
});

test('a circle, and a link with what a task is part of, are refused with a sentence before', { skip }, async () => {
    await pull('Pour', 'finish', 'Dig', 'start');
    await page.until('return /“Pour” waits for “Dig” already/.test(document.querySelector("#notices").textContent)');
    await pull('Walls', 'finish', 'North wall', 'finish');
    await page.until('return /“North wall” is part of “Walls”/.test(document.querySelector("#notices").textContent)');
    await links('dig pour SS 2');
});

test('while it is pulled, a link says what it would be, and Escape lets it go', { skip }, async () => {
    const target = await bar('Dig');
    await bar('Pour');
    const from = await handle('finish');
    await page.mouse('mouseMoved', from);
    await page.mouse('mousePressed', from, 1);
    await page.mouse('mouseMoved', { x: target.left + 2, y: target.y }, 1);
    await page.until('return /Pour.*Dig.*already/.test(document.querySelector(".plan-tip").textContent)');
    await page.press('Escape');
    await page.mouse('mouseReleased', { x: target.left + 2, y: target.y });
    await page.until('return document.querySelector(".plan-tip").hidden');
    await links('dig pour SS 2');
});

test('a link that is deleted can be brought back for a while', { skip }, async () => {
    const remove = async () => {
        const place = await bar('Pour').then(({ left, y }) => ({ x: left - 3, y }));
        await page.drag(place, place);
        await page.click('.link-box .danger');
        await page.until('return /^The link of “Dig” with “Pour” is deleted/'
            + '.test(document.querySelector(".undo-bar")?.textContent)');
    };
    await remove();
    await page.click('.undo-bar .undo');
    await page.until('return !document.querySelector(".undo-bar")');
    await remove();
    await page.mouse('mouseMoved', { x: 700, y: 600 });
    await links();
});

test('the keyboard links with the next row, with any row by its name, and changes the lag', { skip }, async () => {
    await bar('Dig');
    await page.press('l', 'alt');
    await page.has('.link-to');
    assert.deepEqual(await page.run(audit()), []);
    await page.press('Enter');
    await links('dig pour FS 0');
    await page.press('l', 'alt');
    await page.type('shell');
    await page.press('Enter');
    await links('dig done FS 0', 'dig pour FS 0');
    await page.press('l', 'alt');
    await page.type('pour');
    await page.press('Enter');
    await page.until('return /linked so already/.test(document.querySelector(".link-to .form-problem").textContent)');
    await page.press('Escape');
    await page.press('Enter', 'ctrl');
    await page.until('return document.querySelectorAll(".plan-details .plan-links li").length === 2');
    await page.run(`document.querySelector('.plan-details .plan-links li .quiet').focus()`);
    await page.press('Enter');
    await page.until('return document.activeElement.name === "lag"');
    await page.type('-1');
    await page.press('Enter');
    await page.until('return /1 working day earlier/.test(document.activeElement.textContent)', 'the focus is back');
    await page.press('Escape');
});

test('the panel links what a task depends on, and nothing is wider than a phone', { skip }, async () => {
    await page.run('document.querySelectorAll(".notice button").forEach(each => each.click())');
    await page.resize(320, 640);
    await page.until('return document.querySelector(".plan-canvas").clientWidth < 320');
    await page.run(`[...document.querySelectorAll('.plan-name')].find(each => each.textContent === 'South wall')
        .dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))`);
    const add = '.plan-details [aria-label="Add what it depends on"]';
    await page.has(add);
    await page.run(`document.querySelector('${add}').scrollIntoView()`);
    await page.click(add);
    await page.has('.link-to');
    assert.deepEqual(await page.run(audit()), []);
    const widths = await page.run('return [document.documentElement.scrollWidth, innerWidth]');
    assert.ok(widths[0] <= widths[1], `${widths}`);
    await page.type('pour');
    await page.click('.link-to .option');
    await page.until('return document.querySelectorAll(".plan-details .plan-links li").length === 1');
    await page.press('Escape');
    const place = await row('Dig');
    await page.drag(place, place);
    await page.press('l', 'alt', 'shift');
    await page.has('.popover.menu');
    const right = await page.run('return document.querySelector(".popover.menu").getBoundingClientRect().right');
    assert.ok(right <= 320, `the menu ends at ${right}`);
    await page.press('Escape');
    await page.resize(1280, 800);
});

const inSync = () =>
    page.until('return document.querySelector(".sync-text").textContent === "In sync"', 'it is in sync', 30_000);

/** Takes away all links, on the server, and waits until the page shows none. */
async function withoutLinks() {
    await inSync();
    const { results } = await plans.server.api(alice, 'GET', '/projects/house/dependencies/');
    for (const { id } of results) await plans.server.api(alice, 'DELETE', `/dependencies/${id}/`);
    await bar('Pour');
    await page.press('l', 'alt', 'shift');
    for (let attempt = 0; attempt < 200 && !/has no links/.test(await page.text('#notices')); attempt += 1) {
        await page.press('Escape');
        await page.press('l', 'alt', 'shift');
    }
    await page.run('document.querySelectorAll(".notice button").forEach(each => each.click())');
    await inSync();
}

test('each job with links takes no more keys and clicks than docs/console.md says', { skip }, async () => {
    await withoutLinks();
    const list = new PlanList(page);
    const within = (job, column) => assert.ok(list[column] <= limitOf(job, column), `${job}: ${list[column]} ${column}`);
    await bar('Dig');
    list.begin();
    await list.press('l', 'alt');
    await list.press('Enter');
    await links('dig pour FS 0');
    within('Link a task with the one below', 'keys');
    list.begin();
    await list.press('l', 'alt', 'shift');
    await page.until('return document.activeElement.name === "lag"');
    await list.press('3');
    await list.press('Enter');
    await links('dig pour FS 3');
    within('Change the lag of a link', 'keys');
    list.begin();
    await list.press('l', 'alt', 'shift');
    await page.until('return document.activeElement.name === "lag"');
    await list.press('Tab');
    await list.press('Enter');
    within('Delete a link', 'keys');
    await links();
    list.begin();
    list.clicks += 1;
    await pull('Dig', 'finish', 'Pour', 'start');
    await links('dig pour FS 0');
    within('Link a task with the one below', 'clicks');
    const arrow = await arrowInto('Pour');
    list.begin();
    list.clicks += 1;
    await page.drag(arrow, arrow);
    await page.until('return document.activeElement.name === "lag"');
    await list.press('3');
    await list.press('Enter');
    await links('dig pour FS 3');
    within('Change the lag of a link', 'clicks');
    list.begin();
    list.clicks += 1;
    await page.drag(arrow, arrow);
    await list.click('.link-box .danger');
    within('Delete a link', 'clicks');
    await page.click('.undo-bar .undo');
});

test('what the server refuses is told at the link', { skip }, async () => {
    await withoutLinks();
    await page.offline(true);
    await pull('Dig', 'finish', 'Pour', 'start');
    await page.until('return /1 unsent/.test(document.querySelector(".sync-text").textContent)', 'it waits', 30_000);
    await plans.server.api(alice, 'POST', '/projects/house/dependencies/', { predecessor: 'pour', successor: 'dig' });
    await page.offline(false);
    await page.has('.trouble', 30_000);
    assert.match(await page.text('.trouble p'), /^The link of “Dig” with “Pour” is not accepted: .*“Pour”/);
    await bar('Dig');
    await page.press('Enter', 'ctrl');
    await page.until('return /The server refuses it/.test(document.querySelector(".plan-details").textContent)');
    await page.press('Escape');
    await page.click('.trouble button');
    await links('pour dig FS 0');
});

test('who is no scheduler is offered no links, and sees what they say', { skip }, async () => {
    await plans.user('carol');
    await plans.server.member('house', 'carol', 'owner');
    await plans.server.member('house', 'alice', 'member');
    await bar('Pour');
    await page.until('return [...document.querySelectorAll(".plan-handle")].every(each => each.hidden)');
    await page.press('l', 'alt');
    await page.until('return /needs the role Scheduler/.test(document.querySelector("#notices").textContent)');
    await page.press('l', 'alt', 'shift');
    await page.has('.link-box');
    assert.match(await page.text('.link-box'), /finish to start.*needs the role Scheduler/);
    assert.equal(await page.run('return document.querySelector(".link-box input, .link-box .danger")'), null);
    await page.press('Escape');
    await page.press('Enter', 'ctrl');
    await page.has('.plan-details .plan-links li');
    assert.equal(await page.run(`return [...document.querySelectorAll('.link-head button')]
        .filter(each => each.checkVisibility()).length`), 0);
    await page.press('Escape');
});

test('no errors and no reports of the policy', { skip }, () =>
    // The browser notes each request that fails.
    assert.deepEqual(page.troubles.filter(trouble => !/net::ERR_/.test(trouble)), []));
