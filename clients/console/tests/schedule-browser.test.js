import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { whyNoBrowser } from './support/browsers.js';
import { barOf, selected } from './support/chart.js';
import { limitOf, PlanList } from './support/plan-list.js';
import { Plans } from './support/plans.js';
import { upload } from './support/big-plan.js';

// What the plan shows of its schedule, in a real browser.

const skip = whyNoBrowser();
let plans, alice, page;

const TASKS = [
    { id: 'sch-dig', name: 'Dig', planned_start: '2020-03-02', duration: 5, wbs_path: '1' },
    {
        id: 'sch-pour', name: 'Pour', planned_start: '2020-03-04', duration: 3, wbs_path: '2',
        scheduled_start: '2021-01-04', early_start: '2021-01-04', early_finish: '2021-01-06', late_finish: '2021-01-08',
        total_float: 77, is_critical: false,
    },
    { id: 'sch-roof', name: 'Roof', duration: 2, wbs_path: '3' },
    { id: 'sch-paint', name: 'Paint', planned_start: '2020-03-02', duration: 1, wbs_path: '4', is_critical: true },
    { id: 'sch-idea', name: 'Idea', wbs_path: '5', scheduled_start: '2020-03-02', total_float: 4 },
];
const row = id => plans.server.api(alice, 'GET', `/tasks/${id}/`);

async function until(look) {
    for (let attempt = 0; !await look(); attempt += 1) {
        assert.ok(attempt < 1000, String(look));
        await new Promise(resolve => setTimeout(resolve, 10));
    }
}

const link = (predecessor, successor) =>
    ({ id: `${predecessor}-${successor}`, predecessor, successor, dep_type: 'FS', lag: 0 });

before(async () => {
    if (skip) return;
    plans = await Plans.start();
    alice = await plans.user('alice');
    await plans.server.api(alice, 'POST', '/projects/', { id: 'sch', name: 'Schedule', start_date: '2020-03-02' });
    const dependencies = [link('sch-dig', 'sch-pour'), link('sch-pour', 'sch-roof')];
    await upload(plans.server.url, alice, 'sch', { tasks: TASKS, dependencies });
    page = await plans.page('#/plan/sch', { width: 1600, height: 800 });
    await plans.signIn(page, 'alice');
    await page.has('.plan-rows .plan-row', 40_000);
});
after(() => skip || plans.stop());

/** The cells of a row, by their class. */
const cells = name => page.run(`
    const rows = [...document.querySelectorAll('.plan-rows .plan-row:not([hidden])')];
    const found = rows.find(each => each.querySelector('.plan-name').textContent === ${JSON.stringify(name)});
    return Object.fromEntries([...found.querySelectorAll('[role=gridcell]')].map(each =>
        [each.className, each.textContent]))`);

/** Waits until tasks begin on these days. */
const begin = starts => page.until(`
    const rows = [...document.querySelectorAll('.plan-rows .plan-row:not([hidden])')];
    return Object.entries(${JSON.stringify(starts)}).every(([name, start]) => rows.some(row =>
        row.querySelector('.plan-name').textContent === name && row.querySelector('.start').textContent.startsWith(start)))`,
JSON.stringify(starts));

/** Waits until the step is off the list: then what it has changed is selected. */
const takenBack = () => page.until(
    'return document.querySelector(".undo-buttons .redo").ariaDisabled === "false"', 'redo');

/** Makes a task the selected one, and returns the box of its bar. */
const select = name => barOf(page, name);

/** Opens a task's panel. */
async function open(name) {
    await select(name);
    await page.press('Enter', 'ctrl');
    await page.until(`return document.querySelector('.plan-details h2')?.textContent === ${JSON.stringify(name)}`,
        `${name} is open`);
}

/** Closes the panel, so that there is room for bars. */
const close = () => page.run('document.querySelector(".plan-details:not([hidden]) [aria-label=Close]")?.click()');

/** Waits until the panel says this. */
const says = (text, selector = '.plan-details') => page.until(
    `return document.querySelector('${selector}')?.textContent.includes(${JSON.stringify(text)})`, `it says ${text}`);

const facts = () => page.run(`
    return Object.fromEntries([...document.querySelectorAll('.plan-details dt')].map(each =>
        [each.textContent, each.nextElementSibling.textContent]))`);

test('the panel shows what the links make of a task, and not what a scheduler once wrote', { skip }, async () => {
    await open('Pour');
    await says('Critical');
    await says('Overdue');
    // The schedule is computed anew while rows still come.
    await says('Mar 9');
    const { Early, Late, Float, ...others } = await facts();
    const day = date => new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(date));
    for (const dates of [Early, Late]) {
        assert.ok(dates.includes('Mar 9') && dates.includes('11, 2020'), `${dates}, ${day('2020-03-09')}`);
    }
    assert.equal(Float, '0 working days');
    assert.deepEqual(Object.keys(others).filter(name => /sched|early|late|float/i.test(name)), []);
});

test('a task without links has what a scheduler wrote', { skip }, async () => {
    await open('Idea');
    const { Scheduled, Float } = await facts();
    assert.equal(Float, '4 working days');
    assert.match(Scheduled, /March 2, 2020/);
});

test('a broken link says why, at both its tasks, until it holds', { skip }, async () => {
    await open('Dig');
    await says('“Pour” begins too early: after “Dig”, not before Monday, March 9, 2020.');
    await open('Pour');
    await says('“Pour” begins too early: after “Dig”, not before Monday, March 9, 2020.');
    await page.run('document.querySelector(".plan-list").focus()');
    for (let step = 0; step < 3; step += 1) await page.press('ArrowRight', 'alt');
    await page.until('return !document.querySelector(".plan-details").textContent.includes("too early")', 'it holds');
});

test('a task without a date follows what it waits for, and a flag of old does not make critical', { skip }, async () => {
    // The schedule is computed in the background.
    await begin({ Roof: 'Mar 12' });
    const [roof, paint] = [await cells('Roof'), await cells('Paint')];
    assert.match(roof.name, /critical/);
    assert.doesNotMatch(paint.name, /critical/);
    assert.match(paint.name, /overdue/);
});

const status = text => says(text, '.plan-status');

test('followers stay where they are, unless the reader wants them to move', { skip }, async () => {
    await close();
    const { x, y } = await select('Dig');
    await page.drag({ x, y }, { x: x + 14 * 7, y });
    await begin({ Dig: 'Mar 9', Pour: 'Mar 9' });
    await page.press('z', 'ctrl');
    await begin({ Dig: 'Mar 2', Pour: 'Mar 9' });
});

test('a bar that is dragged shows what moves with it, and moves it in one step', { skip }, async () => {
    await page.click('.plan-bar [aria-pressed]');
    const { x, y } = await select('Dig');
    const to = { x: x + 14 * 7, y };
    await page.mouse('mouseMoved', { x, y });
    await page.mouse('mousePressed', { x, y }, 1);
    await page.mouse('mouseMoved', { x: x + 40, y }, 1);
    await page.mouse('mouseMoved', to, 1);
    await status('2 more tasks move with it.');
    await begin({ Dig: 'Mar 9', Pour: 'Mar 16', Roof: 'Mar 19' });
    await page.mouse('mouseReleased', to);
    await status('');
    await begin({ Dig: 'Mar 9', Pour: 'Mar 16', Roof: 'Mar 19' });
    await until(async () => (await row('sch-pour')).planned_start === '2020-03-16');
    assert.equal((await row('sch-roof')).planned_start, null, 'it follows by its link');
    await page.press('z', 'ctrl');
    await begin({ Dig: 'Mar 2', Pour: 'Mar 9', Roof: 'Mar 12' });
    await until(async () => (await row('sch-pour')).planned_start === '2020-03-09');
    assert.equal((await row('sch-dig')).planned_start, '2020-03-02');
});

test('Escape lets the bar and its followers go where they were', { skip }, async () => {
    const { x, y } = await select('Dig');
    await page.mouse('mouseMoved', { x, y });
    await page.mouse('mousePressed', { x, y }, 1);
    await page.mouse('mouseMoved', { x: x + 14 * 7, y }, 1);
    await begin({ Dig: 'Mar 9', Pour: 'Mar 16' });
    await page.press('Escape');
    await page.mouse('mouseReleased', { x: x + 14 * 7, y });
    await begin({ Dig: 'Mar 2', Pour: 'Mar 9', Roof: 'Mar 12' });
});

test('keys move a bar with its followers, in one step', { skip }, async () => {
    const list = new PlanList(page);
    await list.click('.plan-bar [aria-pressed=true]');
    list.begin();
    await list.click('.plan-bar [aria-pressed]');
    await select('Dig');
    for (let step = 0; step < 2; step += 1) await list.press('ArrowRight', 'alt');
    await begin({ Dig: 'Mar 4', Pour: 'Mar 11', Roof: 'Mar 16' });
    await until(async () => (await row('sch-pour')).planned_start === '2020-03-11');
    const [move, back] = ['Move a task by two days, with all that waits for it', 'Take it back, with all that has moved'];
    assert.ok(list.keys <= limitOf(move, 'keys') && list.clicks <= limitOf(move, 'clicks'));
    list.begin();
    await list.press('z', 'ctrl');
    await begin({ Dig: 'Mar 2', Pour: 'Mar 9', Roof: 'Mar 12' });
    await takenBack();
    assert.equal(await selected(page), 'Dig', 'not one that followed it');
    assert.ok(list.keys <= limitOf(back, 'keys'));
});

test('dates that are typed show what would move before it does', { skip }, async () => {
    const type = async days => {
        await open('Dig');
        await page.run('[...document.querySelectorAll(".plan-fields label")].find(each => /days/.test(each.textContent))'
            + '.control.select()');
        await page.type(days);
        await page.press('Enter');
        await page.has('dialog[open]');
    };
    await type('8');
    assert.match(await page.text('dialog'), /Pour.*Mar 9.* → .*Mar 12/);
    await page.press('Escape');
    await begin({ Dig: 'Mar 2', Pour: 'Mar 9' });
    assert.equal((await cells('Dig')).days, '5', 'nothing was changed');
    await type('7');
    await page.click('dialog .primary');
    await begin({ Dig: 'Mar 2', Pour: 'Mar 11', Roof: 'Mar 16' });
    await page.run('document.querySelector(".plan-list").focus()');
    await page.press('z', 'ctrl');
    await begin({ Dig: 'Mar 2', Pour: 'Mar 9', Roof: 'Mar 12' });
    await takenBack();
});

test('what has begun stays, and its bar says why', { skip }, async () => {
    await close();
    await plans.server.api(alice, 'PATCH', '/tasks/sch-pour/', { actual_start: '2020-03-10' });
    await begin({ Pour: 'Mar 10', Roof: 'Mar 13' });
    const { x, y } = await select('Pour');
    await page.drag({ x, y }, { x: x + 14 * 7, y });
    await says('It has begun, so it stays.', '#notices');
    await begin({ Pour: 'Mar 10' });
    await open('Pour');
    await says('Began');
});

test('nothing went wrong on the way', { skip }, () => {
    assert.deepEqual(page.troubles, []);
});
