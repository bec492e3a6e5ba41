import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../../web/tests/support/open.js';
import { audit } from './support/audit.js';
import { CLOCK } from './support/clock.js';
import { hasChromium } from './support/devtools.js';
import { Plans } from './support/plans.js';

// Undo and redo on the pages, in a real browser. Each test goes on where the one before has ended.

const skip = hasChromium() ? false : 'there is no chromium';

let plans, alice, page;

before(async () => {
    if (skip) return;
    plans = await Plans.start();
    alice = await plans.user('alice');
    await plans.server.api(alice, 'POST', '/projects/', { id: 'boat', name: 'Boat', start_date: '2026-01-05' });
    const tasks = [['walls', 'Walls'], ['door', 'Door', 'walls'], ['roof', 'Roof'], ['paint', 'Paint']];
    for (const [id, name, parent = null] of tasks) {
        await plans.server.task(alice, 'boat', { id, name, parent, planned_start: '2026-03-02', duration: 3 });
    }
    page = await plans.page();
    await prepared(page);
    await plans.signIn(page, 'alice');
    await page.has('.top');
    await go('/plan/boat/tasks');
});
after(() => skip || plans.stop());

async function prepared(each) {
    await each.send('Page.addScriptToEvaluateOnNewDocument', { source: CLOCK });
    await each.open(`${plans.front.url}#/projects`);
    await each.run('return pass()').catch(() => each.send('Page.reload'));
    await each.until('return typeof pass === "function" && document.querySelector(".sign-in, .top") !== null', 'it is there');
}

const go = path => page.run(`location.hash = '${path}'`);
const stored = id => plans.server.api(alice, 'GET', `/tasks/${id}/`).catch(() => null);
const has = (id, values) => until(async () => {
    const row = await stored(id);
    return row && Object.entries(values).every(([name, value]) => row[name] === value);
}, `${id} is ${JSON.stringify(values)}`);
const notice = pattern => page.until(`return ${pattern}.test(document.querySelector('#notices').textContent)`, pattern);
const focusSays = text => page.until(`return document.activeElement.textContent === ${JSON.stringify(text)}`, text);
const button = (kind, title) => page.until(`
    const found = document.querySelector('.undo-buttons .${kind}');
    return found.title === ${JSON.stringify(title)} && found.ariaDisabled === '${title.startsWith('Nothing')}'`, title);

/** Puts the focus on the name of a task in the table. */
const cell = name => page.until(`
    const found = [...document.querySelectorAll('.grid-row .cell.name')].find(each => each.textContent === '${name}');
    found?.focus();
    return found && document.activeElement === found`, name);

const cellText = text => page.until(`
    return [...document.querySelectorAll('.grid-row .cell.name')].some(each => each.textContent === '${text}')`, text);

const rename = async (from, to) => {
    await cell(from);
    await page.press('Enter');
    await page.type(to);
    await page.press('Enter');
    await focusSays(to);
};

/** Which tasks the plan shows. */
const inPlan = names => page.until(`
    const rows = [...document.querySelectorAll('.plan-rows .plan-row:not([hidden]) .plan-name')];
    return rows.map(each => each.textContent).sort().join() === '${names}'`, `the plan has ${names}`);

const select = async name => {
    await page.until(`
        const names = [...document.querySelectorAll('.plan-rows .plan-row:not([hidden]) .plan-name')];
        names.find(each => each.textContent === '${name}')?.click();
        document.querySelector('.plan-list')?.focus();
        return document.activeElement.className === 'plan-list'`, name);
};

test('the buttons say which step they are about, and the keys go back and forth', { skip }, async () => {
    await rename('Roof', 'Attic');
    await button('undo', 'Undo: Change Name of “Roof” (Ctrl+Z)');
    await page.press('z', 'ctrl');
    await focusSays('Roof');
    await notice(/Taken back: Change Name of “Roof”\./);
    await button('redo', 'Redo: Change Name of “Roof” (Ctrl+Shift+Z)');
    await button('undo', 'Nothing to undo');
    await page.press('Z', 'ctrl', 'shift');
    await focusSays('Attic');
    await page.press('z', 'ctrl');
    await focusSays('Roof');
    await page.press('y', 'ctrl');
    await focusSays('Attic');
    assert.deepEqual(await page.run(audit()), []);
    await has('roof', { name: 'Attic' });
});

/** Presses keys at once, each on what has the focus by then: nothing can happen in between. */
const PRESS = `
    const press = (key, options = {}) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown',
        { key, bubbles: true, cancelable: true, ...options }));`;

test('whoever types on after an undo is not called back to what it has changed', { skip }, async () => {
    await rename('Attic', 'Ridge');
    await page.run(`${PRESS}
        press('z', { ctrlKey: true });
        press('ArrowDown');
        press('ArrowDown');
        press('4')`);
    await notice(/Taken back: Change Name of “Attic”\./);
    await cellText('Attic');
    const editor = await page.run('return document.activeElement.closest(".editor")?.querySelector("input").value');
    assert.equal(editor, '4');
    await page.press('Escape');
    assert.notEqual(await page.run('return document.activeElement.textContent'), 'Attic');
    await page.run(`document.querySelector('.undo-buttons .redo').click()`);
    await focusSays('Ridge');
    await page.press('z', 'ctrl');
    await focusSays('Attic');
});

test('while a text is being typed, the browser\'s own undo works', { skip }, async () => {
    await page.press('/');
    await page.type('att');
    await page.press('z', 'ctrl');
    await button('undo', 'Undo: Change Name of “Roof” (Ctrl+Z)');
    await page.run('document.querySelector("input[type=search]").value = ""');
    await page.run('document.querySelector("input[type=search]").dispatchEvent(new Event("input"))');
    await cell('Attic');
    await page.press('Enter');
    await page.type('Loft');
    await page.press('z', 'ctrl');
    await page.press('Escape');
    await focusSays('Attic');
});

test('a step of one page is taken back on another one', { skip }, async () => {
    await go('/plan/boat');
    await select('Paint');
    await page.press('ArrowRight', 'alt');
    await has('paint', { planned_start: '2026-03-03' });
    await button('undo', 'Undo: Move “Paint” (Ctrl+Z)');
    await page.run(`${PRESS}
        press('ArrowRight', { altKey: true });
        press('z', { ctrlKey: true })`);
    await notice(/Taken back: Move “Paint”/);
    await page.until('return document.querySelector(".plan-row[aria-selected=true] .start").textContent === "Mar 3"', 'Mar 3');
    await button('undo', 'Undo: Move “Paint” (Ctrl+Z)');
    await go('/row/tasks/paint');
    await page.has('.row-title .undo');
    await page.press('z', 'ctrl');
    await has('paint', { planned_start: '2026-03-02' });
    await page.press('z', 'ctrl');
    await has('roof', { name: 'Roof' });
    assert.deepEqual(await page.run(audit()), []);
    await go('/plan/boat');
    await inPlan('Door,Paint,Roof,Walls');
    await page.press('z', 'ctrl', 'shift');
    await has('roof', { name: 'Attic' });
    await inPlan('Attic,Door,Paint,Walls');
    assert.deepEqual(await page.run(audit()), []);
});

test('a drag in the chart is shown as it was, at once', { skip }, async () => {
    await select('Paint');
    const ring = await page.until(`
        const { left, width, top, height } = document.querySelector('.plan-ring').getBoundingClientRect();
        return width > 0 && { x: left + width / 2, y: top + height / 2 }`, 'the bar');
    await page.drag(ring, { x: ring.x + 80, y: ring.y });
    const start = '.plan-row[aria-selected=true] .start';
    const moved = await page.text(start);
    assert.notEqual(moved, 'Mar 2');
    for (const [kind, text] of [['undo', 'Mar 2'], ['redo', moved], ['undo', 'Mar 2']]) {
        await page.run(`document.querySelector('.undo-buttons .${kind}').click()`);
        await page.until(`return document.querySelector('${start}').textContent === '${text}'`, text);
    }
    await has('paint', { planned_start: '2026-03-02' });
});

test('a deletion hides its rows on all pages, and is taken back by the bar', { skip }, async () => {
    await go('/plan/boat/tasks');
    await cell('Walls');
    await page.press('Delete', 'ctrl');
    await page.until('return /With it go 1 task\\./.test(document.querySelector(".undo-bar")?.textContent)', 'what goes along');
    await go('/plan/boat');
    await inPlan('Attic,Paint');
    assert.deepEqual(await page.run(audit()), []);
    assert.equal((await stored('walls')).name, 'Walls');
    await page.run('document.querySelector(".undo-bar .undo").focus()');
    assert.equal(await page.run('return pass()'), 0, 'the clock stands still under the focus');
    await page.press('Enter');
    await inPlan('Attic,Door,Paint,Walls');
    assert.deepEqual(await page.run('return [document.querySelector(".undo-bar"), document.activeElement.id]'), [null, 'page']);
});

test('a window that is loaded again has deleted nothing; one that waits on another page has', { skip }, async () => {
    await go('/plan/boat/tasks');
    await cell('Walls');
    await page.press('Delete', 'ctrl');
    await page.has('.undo-bar');
    const loaded = new Promise(resolve => { page._loaded = resolve; });
    await page.send('Page.reload');
    await loaded;
    await cell('Walls');
    assert.equal((await stored('walls')).name, 'Walls');
    await page.until('return document.querySelector(".sync-text").textContent === "In sync"', 'in sync');
    await cell('Walls');
    await page.press('Delete', 'ctrl');
    await page.until('return /With it go/.test(document.querySelector(".undo-bar")?.textContent)', 'the bar');
    await go('/projects');
    await page.has('.undo-bar');
    assert.equal(await page.run('return pass()'), 1);
    await until(async () => await stored('walls') === null, 'it is deleted');
    await page.until('return document.querySelector(".undo-bar") === null', 'the bar is gone');
    await page.press('z', 'ctrl');
    await notice(/“Walls” can't come back: its id is used up\./);
    await go('/plan/boat');
    await inPlan('Attic,Paint');
    page.troubles.length = 0; // The browser writes a 404 to its console.
});

test('a new row is taken back, and comes again', { skip }, async () => {
    await go('/plan/boat/tasks');
    await cell('Paint');
    await page.click('.table-bar .primary');
    await page.has('.add-row input');
    await page.type('Gate');
    await page.press('z', 'ctrl', 'shift');
    await page.press('Enter');
    await cell('Gate');
    await button('undo', 'Undo: Add task “Gate” (Ctrl+Z)');
    await page.press('z', 'ctrl');
    await notice(/Taken back: Add task “Gate”\./);
    await page.until('return ![...document.querySelectorAll(".grid-row .cell.name")].some(each => each.textContent === "Gate")', 'gone');
    await page.run('document.querySelector(".undo-buttons .redo").click()');
    await cell('Gate');
});

test('dark, and narrow', { skip }, async () => {
    await page.prefer({ colours: 'dark', motion: 'reduce' });
    await page.resize(320, 640);
    await cell('Gate');
    await page.press('Delete', 'ctrl');
    await page.has('.undo-bar');
    assert.deepEqual(await page.run(audit()), []);
    assert.equal(await page.run('return document.documentElement.scrollWidth'), 320);
    const seen = await page.run(`
        const { left, right, bottom } = document.querySelector('.undo-bar').getBoundingClientRect();
        return left >= 0 && right <= 320 && bottom <= 640`);
    assert.ok(seen, 'the bar is in sight');
    for (const route of ['/plan/boat', '/row/tasks/paint']) {
        await go(route);
        await page.has('.undo-buttons');
        assert.deepEqual(await page.run(audit()), [], route);
        assert.equal(await page.run('return document.documentElement.scrollWidth'), 320, `${route} is not wider`);
    }
    await page.press('z', 'ctrl');
});

test('nothing went wrong', { skip }, () => assert.deepEqual(page.troubles, []));
