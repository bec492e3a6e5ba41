import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../../web/tests/support/open.js';
import { audit } from './support/audit.js';
import { whyNoBrowser } from './support/browsers.js';
import { Plans } from './support/plans.js';
import { NASTY } from './support/schema.js';

// Tables, the page of a row and the page of unsent edits in a real browser. Each test goes on where the one before ended.

const skip = whyNoBrowser();
const NAMES = NASTY.filter(text => !/[\ud800\0]$/.test(text));
const FIRST = 'a-00';

let plans, alice, bob, page;

before(async () => {
    if (skip) return;
    plans = await Plans.start();
    [alice, bob] = [await plans.user('alice'), await plans.user('bob')];
    await plans.server.api(alice, 'POST', '/projects/', { id: 'boat', name: 'Boat', start_date: '2026-01-05' });
    await plans.server.member('boat', 'bob', 'member');
    await plans.server.task(alice, 'boat', { id: FIRST, name: 'Order paint', notes: 'Red' });
    for (const [place, name] of NAMES.entries()) {
        await plans.server.task(alice, 'boat', { id: `n-${place}`, name, parent: place % 2 ? FIRST : null });
    }
    await plans.server.api(alice, 'POST', '/projects/boat/risks/', {
        title: 'Ice', probability: 2, impact: 3, task_ids: [FIRST],
    });
    page = await plans.page('#/plan/boat/tasks');
    await plans.signIn(page, 'alice');
});
after(() => skip || plans.stop());

const stored = id => plans.server.api(alice, 'GET', `/tasks/${id}/`);
/** Waits until the server has these values of a task. */
async function has(id, values) {
    let seen;
    await until(async () => {
        const row = await stored(id);
        seen = Object.fromEntries(Object.keys(values).map(name => [name, row[name]]));
        return Object.entries(values).every(([name, value]) => row[name] === value);
    }, `${id} is ${JSON.stringify(values)}`).catch(error => {
        throw new Error(`${error.message}, but ${JSON.stringify(seen)}`);
    });
}
const counts = text => page.until(`return document.querySelector('.table-count')?.textContent === '${text}'`, text);

/** Puts the focus on a cell: of the row that has the text, in the column with the label. */
const cell = (text, label) => page.until(`
    const column = [...document.querySelectorAll('.grid-head .cell')].findIndex(each =>
        each.title === 'Sort by ${label}');
    const row = [...document.querySelectorAll('.grid-row')]
        .find(each => each.textContent.includes(${JSON.stringify(text)}));
    const found = row?.children[column];
    found?.focus();
    return document.activeElement === found && found !== undefined`, `${label} of ${text}`);

const focused = () => page.run(`
    const { activeElement: found } = document;
    return { text: found.textContent, column: Number(found.getAttribute('aria-colindex')),
        row: Number(found.parentElement.getAttribute('aria-rowindex')), role: found.getAttribute('role') }`);

const shownNames = () => page.run(
    'return [...document.querySelectorAll(".grid-row .cell.name .text")].map(each => each.textContent)');

const focusSays = text => page.until(`return document.activeElement.textContent === ${JSON.stringify(text)}`, text);

test('a table shows all rows, and every name as the text that it is', { skip }, async () => {
    await counts(`${NAMES.length + 1} tasks`);
    const shown = await page.run('return [...document.querySelectorAll(".grid-row .cell.name .text")].map(each => each.textContent)');
    for (const name of NAMES.filter(each => each.trim() !== '' && !/[\u200b\u202e]/.test(each))) {
        assert.ok(shown.includes(name), JSON.stringify(name));
    }
    assert.equal(await page.run('return document.querySelectorAll("main img, main script, main b").length'), 0);
    assert.equal(await page.run('return document.querySelectorAll(".grid-row .cell.name .muted").length'), 2,
        'blank names');
    assert.deepEqual(await page.run(audit()), []);
});

test('the keyboard alone moves, edits, cancels and goes on', { skip }, async () => {
    await cell('Order paint', 'Name');
    await page.press('Enter');
    await page.type('Order varnish');
    await page.press('Tab');
    assert.equal((await focused()).column, 3, 'Tab goes on');
    await page.press('ArrowLeft');
    await focusSays('Order varnish');
    await page.press('Enter');
    await page.type('Not this');
    await page.press('Escape');
    await focusSays('Order varnish');
    await page.press('ArrowUp');
    assert.equal((await focused()).role, 'columnheader');
    await page.press('Enter');
    await page.until('return document.activeElement.getAttribute("aria-sort") === "ascending"', 'it is sorted');
    await page.press('Enter');
    await page.press('Enter');
    await page.until('return document.activeElement.getAttribute("aria-sort") === "none"', 'it is as before');
    await has(FIRST, { name: 'Order varnish' });
});

test('the focus stays when the width changes', { skip }, async () => {
    await cell('Order varnish', 'Name');
    await page.resize(900, 800);
    await page.until('return document.querySelector(".grid").clientWidth < 901', 'it is narrower');
    await page.run('return new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    await focusSays('Order varnish');
    await page.resize(1280, 800);
});

test('each type has its editor', { skip }, async () => {
    await cell('Order varnish', 'Status');
    await page.press('Enter');
    await page.type('progr');
    await page.press('Enter');
    await focusSays('In progress');
    await cell('Order varnish', 'Percent complete');
    await page.press('7');
    await page.type('00');
    await page.press('Enter');
    assert.equal(await page.text('.editor .form-problem'), 'The most is 100.');
    assert.deepEqual(await page.run(audit()), []);
    await page.press('Escape');
    await page.press('5');
    await page.press('Enter');
    await focusSays('5');
    await cell('Order varnish', 'Parent');
    await page.press('Enter');
    await page.type('constr');
    await page.press('Enter');
    await focusSays('constructor');
    await cell('Order varnish', 'Milestone');
    await page.press(' ');
    await focusSays('Yes');
    await has(FIRST, { is_milestone: true });
    const { results } = await plans.server.api(alice, 'GET', '/projects/boat/tasks/?name=constructor');
    await has(FIRST, { status: 'IN_PROGRESS', percent_complete: 5, parent: results[0].id });
});

test('another parent is the last place below it, in a table and on a row\'s page', { skip }, async () => {
    for (const [id, rank] of [['p-0', 'T'], ['p-1', 'K'], ['p-2', 'M']]) {
        const parent = id === 'p-0' ? FIRST : null;
        await plans.server.task(alice, 'boat', { id, name: `Plank ${id}`, rank, parent });
    }
    const pick = async typed => {
        await page.has('.editor');
        await page.type(typed);
        await page.press('Enter');
    };
    const isBehind = (id, other) => until(async () => {
        const [row, before] = [await stored(id), await stored(other)];
        return row.parent === FIRST && row.rank > before.rank;
    }, `${id} is behind ${other}`);
    await cell('Plank p-1', 'Parent');
    await page.press('Enter');
    await pick('order varnish');
    await isBehind('p-1', 'p-0');
    await page.run('location.hash = "#/row/tasks/p-2"');
    const button = '.row-value button[aria-label^="Parent:"]';
    await page.click(button);
    await pick('order varnish');
    await isBehind('p-2', 'p-1');
    await page.press('z', 'ctrl');
    await has('p-2', { parent: null, rank: 'M' });
    for (const id of ['p-0', 'p-1', 'p-2']) await plans.server.api(alice, 'DELETE', `/tasks/${id}/`);
    await page.run('location.hash = "#/plan/boat/tasks"');
    await counts(`${NAMES.length + 1} tasks`);
});

test('a cell is copied into another one', { skip }, async () => {
    await cell('Order varnish', 'Status');
    assert.equal(await page.clipboard('copy'), 'In progress');
    await cell('__proto__', 'Status');
    await page.clipboard('paste', 'In progress');
    await focusSays('In progress');
    await page.clipboard('paste', 'Nonsense');
    await page.until('return /Nothing here is called/.test(document.querySelector("#notices").textContent)', 'why not');
    await page.press('z', 'ctrl');
    await focusSays('Not started');
});

test('a date is typed over the cell, whole, and is said in words while one types', { skip }, async () => {
    await cell('Order varnish', 'Planned start');
    for (const key of '12/24/2026') await page.press(key);
    await page.until('return document.querySelector(".editor input.date").value === "12/24/2026"', 'no key is lost');
    assert.equal(await page.text('.editor .understood'), 'Thursday, December 24, 2026');
    assert.deepEqual(await page.run(audit()), []);
    await page.press('Enter');
    await has(FIRST, { planned_start: '2026-12-24' });
    await cell('Order varnish', 'Planned start');
    for (const key of '+3d') await page.press(key);
    await page.press('Tab');
    await has(FIRST, { planned_start: '2026-12-27' });
    await cell('Order varnish', 'Planned start');
    for (const key of '1/5/27') await page.press(key);
    await page.press('Enter');
    assert.match(await page.text('.editor .form-problem'), /Which year is 27/);
    await page.press('Escape');
});

test('a date that was copied is pasted, and a block of cells is refused', { skip }, async () => {
    const paste = text => page.clipboard('paste', text);
    await cell('Order varnish', 'Planned start');
    await paste('Dec 30, 2026');
    await has(FIRST, { planned_start: '2026-12-30' });
    await cell('Order varnish', 'Name');
    await paste('Dig\t3\t2026-12-01\nPour\t4\t2026-12-04\n');
    await page.until('return /2 rows and 3 columns/.test(document.querySelector("#notices").textContent)', 'why not');
    await has(FIRST, { name: 'Order varnish' });
});

test('days of the week are chosen by name', { skip }, async () => {
    await page.run('location.hash = "/plan/boat/calendars"');
    await cell('Standard', 'Working days');
    await focusSays('Mon–Fri');
    await page.press('Enter');
    await page.type('sat');
    await page.press('Enter');
    await page.press('Enter', 'ctrl');
    await focusSays('Mon–Sat');
    await page.run('location.hash = "/plan/boat/tasks"');
});

test('an edit is taken back, and a value emptied', { skip }, async () => {
    await cell('Order varnish', 'Milestone');
    await page.press(' ');
    await focusSays('No');
    await page.press('z', 'ctrl');
    await focusSays('Yes');
    await page.press(' ');
    await focusSays('No');
    await cell('Order varnish', 'Parent');
    await page.press('Backspace');
    await focusSays('');
    await has(FIRST, { parent: null, is_milestone: false });
});

test('offline edits show as unsent; a conflict is shown at its row, and can be written again', { skip }, async () => {
    await page.offline(true);
    await cell('Order varnish', 'Name');
    await page.press('Enter');
    await page.type('Mine');
    await page.press('Enter');
    await page.has('.cell.state.unsent');
    await plans.server.api(bob, 'PATCH', `/tasks/${FIRST}/`, { name: 'Theirs' });
    await page.offline(false);
    await page.run('dispatchEvent(new Event("online"))');
    await page.has('.cell.state.aside', 20_000);
    await cell('Theirs', 'Name');
    await page.until('return /Mine/.test(document.querySelector(".strip").textContent)',
        'the strip says what was written');
    assert.deepEqual(await page.run(audit()), []);
    await page.click('.strip button');
    await focusSays('Mine').catch(() => cell('Mine', 'Name'));
    await has(FIRST, { name: 'Mine' });
    page.troubles.length = 0; // The browser writes each failed request to its console.
});

test('a deletion says what goes along', { skip }, async () => {
    const entry = { task: FIRST, minutes: 30, entry_date: '2026-03-01' };
    await plans.server.api(bob, 'POST', '/projects/boat/time_entries/', entry);
    await cell('Mine', 'Name');
    await page.press('Home');
    await page.press('Enter');
    await page.has('.popover.menu');
    await page.press('ArrowDown');
    await page.press('Enter');
    const bar = pattern => page.until(`return ${pattern}.test(document.querySelector('.undo-bar')?.textContent)`, pattern);
    await bar(/With it go \d+ tasks/);
    await bar(/1 risk will no longer refer to it/);
    await bar(/1 time entry of others that you can't see would go/);
    assert.ok((await shownNames()).every(text => text !== 'Mine'), 'it is hidden, and so is what goes along');
    assert.deepEqual(await page.run(audit()), []);
    await page.press('z', 'ctrl');
    await page.until('return document.querySelector(".undo-bar") === null', 'it is taken back');
    await focusSays('Mine').catch(() => cell('Mine', 'Name'));
    await counts(`${NAMES.length + 1} tasks`);
    assert.equal((await stored(FIRST)).name, 'Mine');
});

test('two windows follow each other', { skip }, async () => {
    const second = await plans.page('#/plan/boat/tasks');
    const says = text => second.until(`
        return [...document.querySelectorAll('.grid-row .cell.name')].some(each =>
            each.textContent === '${text}')`, text);
    await says('Mine');
    await cell('Mine', 'Name');
    await page.press('Enter');
    await page.type('Ours');
    await page.press('Enter');
    await says('Ours');
    await has(FIRST, { name: 'Ours' });
    await plans.server.api(bob, 'PATCH', `/tasks/${FIRST}/`, { notes: 'Blue', name: 'Mine' });
    await says('Mine');
    await second.close();
});

test('filters, search and columns', { skip }, async () => {
    await page.press('/');
    await page.type('mine progress');
    await counts(`1 of ${NAMES.length + 1} tasks`);
    await page.press('Escape');
    await counts(`${NAMES.length + 1} tasks`);
    await page.click('.table-bar button[title="Filter by column"]');
    await page.has('[data-filter=name]');
    await page.type('alert');
    await counts(`2 of ${NAMES.length + 1} tasks`);
    assert.deepEqual(await page.run(audit()), []);
    await page.click('.table-bar button[title="Filter by column"]');
    await counts(`${NAMES.length + 1} tasks`);
    await page.click('.table-bar button[title="Columns"]');
    await page.run('document.querySelector(".boxes input[value=status]").click()');
    await page.until('return ![...document.querySelectorAll(".grid-head .cell")].some(each => each.textContent === "Status")');
    assert.deepEqual(await page.run(audit()), []);
    await page.press('Escape');
    await page.open(`${plans.front.url}#/projects`);
    await page.open(`${plans.front.url}#/plan/boat/tasks`);
    await cell('Mine', 'Name');
    assert.ok(await page.run('return ![...document.querySelectorAll(".grid-head .cell")].some(each => each.textContent === "Status")'));
});

test('a new row that the server refuses says why, and is corrected on its page', { skip }, async () => {
    await page.run('location.hash = "/plan/boat/sprints"');
    await page.has('.empty .primary');
    await page.click('.table-bar .primary');
    await page.has('.add-row input');
    await page.press('Enter');
    await page.until('return document.querySelector("dialog .form-problem")?.textContent === "Name is needed."',
        'what is missing');
    await page.type('First');
    await page.run(`
        const [start, finish] = document.querySelectorAll('.add-row input.date');
        Object.assign(start, { value: '2026-02-09' });
        Object.assign(finish, { value: '2026-02-02' });`);
    assert.deepEqual(await page.run(audit()), []);
    await page.press('Enter');
    await page.has('.cell.state.refused', 20_000);
    await page.until('return /must be after/.test(document.querySelector(".strip").textContent)', 'the reason');
    await page.run('location.hash = "/unsent"');
    await page.has('.edit-card.bad a.primary');
    await page.until('return document.querySelector(".inbox .edit-card") !== null', 'the server\'s list');
    assert.deepEqual(await page.run(audit()), []);
    await page.click('.edit-card.bad a.primary');
    await page.has('.row-fields .value.wrong');
    assert.deepEqual(await page.run(audit()), []);
    await page.click('.row-fields .value.wrong');
    await page.run('document.querySelector(".editor input").value = "2026-02-20"');
    await page.press('Enter');
    await page.until('return document.querySelector(".row-title .chip").textContent === "In sync"', 'it is taken',
        20_000);
    const { results } = await plans.server.api(alice, 'GET', '/projects/boat/sprints/');
    assert.deepEqual(results.map(each => each.finish_date), ['2026-02-20']);
});

test('the page of a row has its references both ways', { skip }, async () => {
    await page.run(`location.hash = '/row/tasks/${FIRST}'`);
    await page.until('return /Ice/.test(document.querySelector(".referring")?.textContent)', 'the risk');
    await page.until('return document.querySelector("h1")?.textContent === "Mine"', 'its name');
    assert.equal(await page.run('return document.querySelectorAll(".referring a").length > 2'), true);
    await page.run('location.hash = "/row/tasks/gone"');
    await page.until('return /not here/.test(document.querySelector("main").textContent)', 'there is none');
});

test('the history of a row comes from the server, and offline the page says so', { skip }, async () => {
    const headers = { Authorization: `Bearer ${alice}` };
    const { ok: isThere } = await fetch(`${plans.server.url}/api/v1/tasks/${FIRST}/history/`, { headers });
    await page.run(`location.hash = '/row/tasks/${FIRST}'`);
    if (isThere) {
        await page.until('return document.querySelectorAll(".history ol > li").length > 2', 'the changes', 20_000);
        assert.match(await page.text('.history'), /Created/);
        assert.match(await page.text('.history .changes'), /Name/);
        assert.deepEqual(await page.run(audit()), []);
    } else {
        await page.until('return /no history/.test(document.querySelector(".history")?.textContent)',
            'an older server');
    }
    await page.run('location.hash = "/unsent"');
    await page.offline(true);
    await page.run('dispatchEvent(new Event("online"))');
    await page.until('return /Offline/.test(document.querySelector(".sync-text").textContent)', 'it is offline',
        30_000);
    await page.run(`location.hash = '/row/tasks/${FIRST}'`);
    await page.until('return /Offline/.test(document.querySelector(".history")?.textContent)', 'it says so');
    await page.offline(false);
    await page.run('dispatchEvent(new Event("online"))');
    await page.until(`
        const { textContent: text } = document.querySelector('.history');
        return !/Offline/.test(text)`, 'it asks again', 20_000);
    page.troubles.length = 0; // The browser writes each failed request to its console.
});

test('a member is added, gets another role, and is removed', { skip }, async () => {
    await plans.user('carol');
    await page.run('location.hash = "/plan/boat/members"');
    await page.until('return document.querySelectorAll(".members li").length === 2', 'two members');
    await page.fill('#new-member', 'nobody');
    await page.press('Enter');
    await page.until('return /no account/.test(document.querySelector(".add-member .form-problem").textContent)',
        'it says so');
    await page.fill('#new-member', 'carol');
    await page.press('Enter');
    await page.until('return document.querySelectorAll(".members li").length === 3', 'three members');
    assert.deepEqual(await page.run(audit()), []);
    await page.until(`
        const select = document.querySelector('select[aria-label="Role of carol"]');
        if (!select) return false;
        select.value = '200';
        select.dispatchEvent(new Event('change'));
        return true;`, 'the role can be chosen');
    const roles = async () => (await plans.server.api(alice, 'GET', '/projects/boat/memberships/')).results
        .map(({ role }) => role).sort().join();
    await page.until('return /is Scheduler now/.test(document.querySelector("#notices").textContent)', 'it is done');
    assert.equal(await roles(), '100,200,400');
    await page.click('button[aria-label="Remove carol"]');
    await page.has('dialog[open]');
    await page.run('document.querySelector("dialog .danger").click()');
    await page.until('return document.querySelectorAll(".members li").length === 2', 'two members again');
    assert.equal(await roles(), '100,400');
});

test('a viewer edits nothing, and is told why; nor does anybody in an archived project', { skip }, async () => {
    const carol = await plans.server.user('dora');
    await plans.server.member('boat', 'dora', 'owner');
    const locked = why => page.until(`
        const all = [...document.querySelectorAll('.grid-row .cell[role=gridcell]')];
        return all.length > 0 && all.every(each => each.getAttribute('aria-readonly') === 'true')
            && document.querySelector('.table-bar .primary').hidden`, why, 20_000);
    await page.run('location.hash = "/plan/boat/tasks"');
    await plans.server.api(carol, 'POST', '/projects/boat/archive/', {});
    await locked('it is archived');
    await cell('Mine', 'Name');
    await page.press('Enter');
    await page.until('return /archived/.test(document.querySelector("#notices").textContent)', 'the reason');
    await plans.server.api(carol, 'POST', '/projects/boat/unarchive/', {});
    await page.until('return !document.querySelector(".table-bar .primary").hidden', 'it goes on', 20_000);
    await plans.server.member('boat', 'alice', 'viewer');
    await locked('a viewer');
    await page.press('x');
    await page.until('return /needs the role Member/.test(document.querySelector("#notices").textContent)',
        'the reason');
    assert.equal(await page.run('return document.querySelector(".editor")'), null);
    await plans.server.member('boat', 'alice', 'owner');
    await page.until('return !document.querySelector(".table-bar .primary").hidden', 'an owner again', 20_000);
});

test('dark, and narrow', { skip }, async () => {
    await page.prefer({ colours: 'dark', motion: 'reduce' });
    await page.resize(320, 640);
    for (const route of ['/plan/boat/tasks', '/plan/boat/members', `/row/tasks/${FIRST}`, '/unsent']) {
        await page.run(`location.hash = '${route}'`);
        await page.until('return document.querySelector(".grid-row, .row-fields, .unsent-page h1, .members li") !== null', route);
        assert.deepEqual(await page.run(audit()), [], route);
        assert.equal(await page.run('return document.documentElement.scrollWidth'), 320, `${route} is not wider`);
    }
});

test('nothing went wrong, and nothing was asked of others', { skip }, async () => {
    const { origin } = new URL(plans.front.url);
    assert.deepEqual(page.troubles.filter(each => !each.includes('/history/')), []);
    assert.deepEqual(page.requests.filter(url => !url.startsWith(origin) && !url.startsWith('data:')), []);
});
