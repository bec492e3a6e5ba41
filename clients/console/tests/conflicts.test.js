import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../../web/tests/support/open.js';
import { isOf, notShownBy } from '../lib/unsent/twice.js';
import { hasChromium } from './support/devtools.js';
import { Plans } from './support/plans.js';

// An edit that somebody else overtook is shown once, though this browser has it and the server's list, too.

const skip = hasChromium() ? false : 'there is no chromium';
const copy = { collection: 'tasks', id: 't', changed: ['name', 'duration'], values: { name: 'Mine', duration: 3 } };
const entry = { entry: '_1', collection: 'tasks', id: 't', field: 'name', sent: 'Mine', cut: false };

test('an entry is of a copy if it is of the same row, field and value', () => {
    assert.ok(isOf(entry, copy));
    assert.ok(isOf({ ...entry, field: null, sent: { name: 'Mine' } }, copy), 'the whole row');
    assert.ok(isOf({ ...entry, sent: 'Mi', cut: true }, copy), 'of a long value the server keeps the beginning');
    for (const other of [{ sent: 'Older' }, { id: 'u' }, { collection: 'risks' }, { field: 'notes', sent: undefined }]) {
        assert.equal(isOf({ ...entry, ...other }, copy), false, JSON.stringify(other));
    }
    assert.deepEqual(notShownBy([copy], [entry, { ...entry, id: 'u' }]).map(({ id }) => id), ['u']);
});

let plans, alice, bob, page;

before(async () => {
    if (skip) return;
    plans = await Plans.start();
    [alice, bob] = [await plans.user('alice'), await plans.user('bob')];
    await plans.server.api(alice, 'POST', '/projects/', { id: 'boat', name: 'Boat', start_date: '2026-01-05' });
    await plans.server.member('boat', 'bob', 'member');
    await plans.server.task(alice, 'boat', { id: 't', name: 'Order paint' });
    page = await plans.page('#/plan/boat/tasks');
    await plans.signIn(page, 'alice');
});
after(() => skip || plans.stop());

const lost = async () => (await plans.server.api(alice, 'GET', '/rejected/')).results.length;
const cards = count => page.until(`return document.querySelectorAll('.edit-card').length === ${count}
    && !document.querySelector('.unsent-page .loading')`, `${count} cards`);
const says = pattern => page.until(`return ${pattern}.test(document.querySelector('.sync-text').textContent)`,
    `it says ${pattern}`, 30_000);

/** Two people name a task; the one of this browser is late. Ends on the page of unsent edits. */
async function conflict(mine, theirs) {
    await page.run('location.hash = "/plan/boat/tasks"');
    await page.has('.grid-row .cell[aria-colindex="2"]');
    await says('/^In sync/');
    await page.offline(true);
    await page.until(`
        const found = [...document.querySelectorAll('.grid-row .cell')].find(each => each.dataset.field === 'name'
            || each.textContent === ${JSON.stringify(mine.before)});
        found?.focus();
        return found && document.activeElement === found`, 'the name');
    await page.press('F2');
    await page.has('.editor input');
    await page.fill('.editor input', mine.name);
    await page.press('Enter');
    await says('/1 unsent/');
    await plans.server.api(bob, 'PATCH', '/tasks/t/', { name: theirs });
    await page.offline(false);
    await until(async () => await lost() === 1, 'the server has it in its list');
    await page.run('location.hash = "/unsent"');
    await page.has('.edit-card .danger, .edit-card button');
}

test('a conflict is one card, and dismissing that leaves none', { skip }, async () => {
    await conflict({ before: 'Order paint', name: 'Mine' }, 'Theirs');
    await cards(1);
    await page.until('return /^None/.test(document.querySelector(".inbox").textContent)', 'the other list has asked');
    assert.equal(await lost(), 1);
    await page.until(`[...document.querySelectorAll('.edit-card button')].find(each =>
        each.textContent === 'Dismiss').click(); return true`);
    await cards(0);
    await until(async () => await lost() === 0, 'nor has the server');
});

test('what is written again is no lost edit any more', { skip }, async () => {
    await conflict({ before: 'Theirs', name: 'Mine again' }, 'Theirs again');
    await cards(1);
    await page.click('.edit-card .primary');
    await cards(0);
    await until(async () => (await plans.server.api(alice, 'GET', '/tasks/t/')).name === 'Mine again', 'it is sent');
    await until(async () => await lost() === 0, 'nothing is lost');
});
