import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audit } from './support/audit.js';
import { withRoot } from './support/with-root.js';

// The page that says why somebody sees a row, in a real browser. Each test goes on where the one before ended.

let plans, page;
const skip = withRoot(begun => { ({ plans, page } = begun); });
const NASTY = '<img src=x onerror=alert(1)>';

const saysChip = text => page.until(
    `return document.querySelector('[aria-label=Answer] h2 .chip')?.textContent === '${text}'`, text);
const codes = () => page.run('return [...document.querySelectorAll(".reasons code")].map(each => each.textContent)');

/** Asks by the keyboard. */
async function ask(fields) {
    for (const [name, value] of Object.entries(fields)) {
        await page.fill(`.inline-form input[name=${name}]`, value);
    }
    await page.press('Enter');
}

test('a superuser finds the page, which says what it is for', { skip }, async () => {
    const { server } = plans;
    const alice = await server.command('token', 'create', '--user', 'alice');
    await server.api(alice, 'POST', '/projects/', { id: 'boat', name: 'Boat', start_date: '2026-01-05' });
    await server.command('user', 'add', 'vera', '--display-name', NASTY);
    await server.member('boat', 'vera', 'viewer');
    const sprint = { id: 's-1', name: 'One', start_date: '2026-01-05', finish_date: '2026-01-16' };
    await server.api(alice, 'POST', '/projects/boat/sprints/', sprint);
    await server.api(alice, 'POST', '/projects/boat/sprint_retros/', { id: 'r-1', sprint: 's-1', notes: 'Tea' });
    await server.task(alice, 'boat', { id: 't-1', name: 'Paint' });
    await plans.signIn(page, 'root');
    await page.click('.links a[href="#/now"]');
    await page.click('.server-pages a[href="#/explain"]');
    await page.has('.inline-form input[name=user]');
    assert.equal(await page.run('return document.querySelector("[aria-label=Answer]")'), null);
    assert.deepEqual(await page.run(audit()), []);
});

test('it says that somebody sees a row, and why, with the question in the address', { skip }, async () => {
    await ask({ user: 'vera', collection: 'tasks', id: 't-1' });
    await saysChip('sees it');
    assert.deepEqual(await codes(), ['member']);
    assert.equal(await page.run('return location.hash'), '#/explain?user=vera&collection=tasks&id=t-1');
    assert.equal(await page.text('[aria-label=Answer] h2 a'), 'tasks/t-1');
    assert.deepEqual(await page.run(audit()), []);
});

test('it says which gate hides a row, since which commit, and by whom', { skip }, async () => {
    await ask({ user: 'vera', collection: 'sprint_retros', id: 'r-1' });
    await saysChip('does not see it');
    assert.deepEqual(await codes(), ['member', 'gate', 'role']);
    const reasons = await page.run('return [...document.querySelectorAll(".reasons li")].map(each => each.innerText)');
    assert.match(reasons[1], /team_only/);
    assert.match(reasons[1], /commit \d+ by alice, /);
    const time = await page.run('return document.querySelector(".reasons time").getAttribute("title")');
    assert.match(time, /\d{4}/, 'the instant is told on hover');
});

test('names are shown as the text that they are', { skip }, async () => {
    assert.ok((await page.text('[aria-label=Answer] h2')).includes(NASTY));
    assert.equal(await page.run('return document.querySelectorAll("main img").length'), 0);
    assert.deepEqual(page.troubles, []);
});

test('an address that somebody was sent asks at once', { skip }, async () => {
    await page.open('about:blank');
    await page.open(`${plans.front.url}#/explain?user=vera&collection=tasks&id=no-such-row`);
    await saysChip('does not see it');
    assert.deepEqual(await codes(), ['no_such_row']);
    assert.equal(await page.run('return document.querySelector(".inline-form input[name=id]").value'), 'no-such-row');
    assert.deepEqual(page.troubles, []);
});

test('a user or a collection that does not exist is told in words', { skip }, async () => {
    const says = text => page.until(`return document.querySelector('.sheet .problem')?.textContent.includes('${text}')`,
        text);
    await ask({ user: 'nobody', collection: 'tasks', id: 't-1' });
    await says('no user');
    await ask({ user: 'vera', collection: 'paintings', id: 't-1' });
    await says('paintings');
    assert.equal(await page.run('return document.querySelector("[aria-label=Answer]")'), null);
    assert.deepEqual(await page.run(audit()), []);
    page.troubles.length = 0; // The browser writes each 404 to its console.
});

test('the page fits a phone', { skip }, async () => {
    await page.resize(320, 640);
    await ask({ user: 'vera', collection: 'sprint_retros', id: 'r-1' });
    await saysChip('does not see it');
    assert.ok(await page.run('return document.documentElement.scrollWidth <= 320'));
    await page.resize(1280, 800);
});

test('somebody else is told whom it is for', { skip }, async () => {
    await page.click('.sign-out');
    await page.has('.sign-in');
    await plans.signIn(page, 'alice');
    await page.has('.projects');
    assert.equal(await page.run('return document.querySelector(".server-pages a, .links a[href=\'#/now\']")'), null);
    assert.deepEqual(page.troubles, []);
    await page.open(`${plans.front.url}#/explain?user=vera&collection=tasks&id=t-1`);
    await page.until('return /superuser/.test(document.querySelector(".empty")?.textContent)', 'the reason');
});
