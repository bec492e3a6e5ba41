import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { audit } from './support/audit.js';
import { hasChromium } from './support/devtools.js';
import { PASSWORD, Plans } from './support/plans.js';

// People and the audit list in a real browser, for superusers and for others. Each test goes on where the one before
// ended.

const skip = hasChromium() ? false : 'there is no chromium';
const NASTY = '\u202egnp.exe <img src=x onerror=alert(1)> “a” {{7*7}}';
const SHOWN = 'gnp.exe <img src=x onerror=alert(1)> “a” {{7*7}}';
const OTHER = 'an other password';

let plans, root, page, bobs;

before(async () => {
    if (skip) return;
    plans = await Plans.start({ TIDEMARK_AUTH_LOGINS_PER_ADDRESS: '0', TIDEMARK_AUTH_LOGINS_PER_ACCOUNT: '0' });
    const bob = await plans.user('bob');
    plans.superuser('root');
    root = await plans.server.command('token', 'create', '--user', 'root');
    await plans.server.api(bob, 'POST', '/projects/', { id: 'boat', name: `Boat ${NASTY}`, start_date: '2026-01-05' });
    page = await plans.page();
});
after(() => skip || plans.stop());

const inSync = which => which.until(
    'return document.querySelector(".sync-text")?.textContent === "In sync"', 'in sync', 20_000);
const show = async (route, which = page) => {
    await which.run(`location.hash = ${JSON.stringify(route)}`);
    await which.until(
        'return document.querySelector("#page h1, #page h2") && !document.querySelector(".loading")', route);
};
const text = selector => page.until(
    `return document.querySelector(${JSON.stringify(selector)})?.textContent`, selector);
const texts = selector => page.run(
    `return [...document.querySelectorAll(${JSON.stringify(selector)})].map(each => each.textContent)`);
/** Clicks the only button or link that says this. */
const press = async (words, within = '#page', which = page) => {
    await which.until(`
        const found = [...document.querySelectorAll(${JSON.stringify(within)} + ' :is(button, a, label)')]
            .filter(each => (each.getAttribute('aria-label') ?? each.textContent).trim() === ${JSON.stringify(words)});
        if (found.length !== 1 || found[0].disabled) return false;
        found[0].click();
        return true`, `${words} within ${within}`);
};
const noDialog = () => page.until('return !document.querySelector("dialog")', 'no dialog');
const idOf = async name => {
    const { results } = await plans.server.api(root, 'GET', `/admin/users/?q=${name}`);
    return results.find(({ username }) => username === name).id;
};
const entries = async () => (await plans.server.api(root, 'GET', '/admin/audit/?limit=50')).results;

/** The status of a login, which begins a session. */
const logIn = async (username, password) => (await fetch(`${plans.server.url}/api/v1/auth/token/`, {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ username, password }),
})).status;

/** Makes all sessions older than ten minutes, as if whoever has begun them had been away for a while. */
function age() {
    const script = 'import sqlite3, sys; db = sqlite3.connect(sys.argv[1], timeout=10); '
        + 'db.execute("UPDATE tidemark_sessions SET created_at = created_at - 601 * 1000"); db.commit()';
    const { status, stderr } = spawnSync('python3', ['-c', script, plans.server.database]);
    assert.equal(status, 0, `${stderr}`);
}

test('a plain user is led to none of it, and told so at its addresses', { skip }, async () => {
    await plans.signIn(page, 'bob');
    await inSync(page);
    assert.equal((await texts('.links a')).includes('Server'), false);
    for (const name of ['people', 'people/1', 'audit', 'storage', 'lost', 'now', 'devices', 'explain']) {
        await show(`#/${name}`);
        assert.match(await text('.empty h2'), /is for superusers/, name);
        assert.equal(await page.run('return document.querySelector(".server-pages").hidden'), true);
    }
    assert.deepEqual(await page.run(audit()), []);
    assert.equal(page.requests.some(url => /\/v1\/admin\//.test(url)), false, 'nothing is asked for in vain');
    assert.deepEqual(page.troubles, []);
    await press('Sign out', '.top');
    await page.has('.sign-in');
});

test('a superuser finds the pages in groups, and everybody in the list', { skip }, async () => {
    await plans.signIn(page, 'root');
    await inSync(page);
    await press('Server', '.links');
    await page.has('.now');
    assert.deepEqual(await texts('.server-pages a'),
        ['Now', 'Storage', 'People', 'Devices', 'Audit', 'Lost edits', 'Explain']);
    await press('People', '.server-pages');
    await page.until('return document.querySelectorAll(".people li").length === 2');
    assert.equal(await text('.server-pages [aria-current=page]'), 'People');
    assert.deepEqual(await page.run(audit()), []);
});

test('a person is added with a password that is shown once', { skip }, async () => {
    await press('Add a person …');
    await page.fill('dialog input[name=username]', 'bob');
    await press('Add', 'dialog');
    await page.until('return /already a user bob/.test(document.querySelector("dialog .form-problem").textContent)');
    page.troubles.length = 0; // The browser writes each refusal to its console.
    await page.fill('dialog input[name=username]', 'carol');
    await page.fill('dialog input[name=name]', NASTY);
    assert.deepEqual(await page.run(audit()), []);
    await page.press('Enter');
    const password = await page.until('return document.querySelector("dialog input.mono")?.value');
    assert.match(password, /^(\w{5}-){3}\w{5}$/);
    await press('Done', 'dialog');
    await page.until('return /carol/.test(document.querySelector(".facts")?.textContent)');
    assert.equal(await text('h1'), SHOWN);
    assert.equal((await page.run('return document.documentElement.outerHTML')).includes(password), false);
    assert.equal(await page.run('return document.querySelectorAll("main img, main script").length'), 0);
    assert.ok((await page.run('return document.title')).startsWith(SHOWN));
    assert.equal(await logIn('carol', password), 200, 'the password works');
});

test('the search finds names in upper and lower case, and is in the address', { skip }, async () => {
    await show('#/people');
    await page.run('document.querySelector("input[type=search]").focus()');
    await page.type('GNP');
    await page.until('return document.querySelectorAll(".people li").length === 1');
    assert.equal(await text('.people .name'), SHOWN);
    assert.equal(await page.run('return location.hash'), '#/people?q=GNP');
    await page.fill('input[type=search]', 'nobody at all');
    await page.until('return /Nobody is called that/.test(document.querySelector("#page").textContent)');
    await page.run('history.back()');
    await page.until('return document.querySelector("h1")?.textContent !== "People"', 'one step back');
});

test('a person is renamed, by the keyboard alone', { skip }, async () => {
    await show(`#/people/${await idOf('carol')}`);
    await page.run('[...document.querySelectorAll(".head-actions button")][0].focus()');
    await page.press('Enter');
    await page.until('return document.activeElement.name === "name"', 'the field has the focus');
    await page.fill('dialog input[name=name]', '   ');
    await page.press('Enter');
    await page.until('return /not only spaces/.test(document.querySelector("dialog .form-problem").textContent)');
    page.troubles.length = 0;
    await page.fill('dialog input[name=name]', 'Carol Cole');
    await page.press('Enter');
    await page.until('return document.querySelector("h1").textContent === "Carol Cole"');
    await page.until('return /^Rename/.test(document.activeElement.textContent)', 'the focus is where it was');
    await page.press('Enter');
    await page.press('Escape');
    await noDialog();
});

test('a session that is revoked signs out the window that uses it, and no other one', { skip }, async () => {
    // Another name of the same host is another site to a browser, with a copy of its own.
    bobs = await plans.tools.page(plans.front.url.replace('127.0.0.1', 'localhost'));
    await plans.signIn(bobs, 'bob');
    await inSync(bobs);
    await show(`#/people/${await idOf('bob')}`);
    const names = '.credentials .name';
    await page.until(`return document.querySelectorAll('${names}').length === 2`, 'a session and a token');
    const [session] = await texts(names);
    await press(`Revoke ${session}`);
    await page.until('return document.activeElement.textContent === "Cancel"', 'the way out has the focus');
    assert.deepEqual(await page.run(audit()), []);
    await press('Revoke', 'dialog');
    await page.until(`return document.querySelectorAll('${names}').length === 1`, 'it is gone');
    await bobs.has('.banner', 20_000);
    assert.match(await bobs.run('return document.querySelector(".banner").textContent'), /session has ended/);
    assert.equal(await page.run('return document.querySelector(".banner")'), null);
});

test('without a password of late, it is asked for in place, all windows go on, and the change is made', { skip },
    async () => {
        const second = await plans.page('#/projects');
        await inSync(second);
        age();
        await press('Set a password …');
        await page.has('dialog input[name=way]');
        await press('Type one', 'dialog');
        await page.fill('dialog input[name=password]', 'short');
        await page.fill('dialog input[name=again]', 'short');
        await press('Set the password', 'dialog');
        await page.until('return /at least 8/.test(document.querySelector("dialog .form-problem").textContent)');
        await page.fill('dialog input[name=password]', OTHER);
        await page.fill('dialog input[name=again]', OTHER);
        await press('Set the password', 'dialog');
        const asked = 'dialog:last-of-type input[autocomplete=current-password]';
        await page.has(asked);
        assert.deepEqual(await page.run(audit()), []);
        await page.until(`return document.activeElement === document.querySelector('${asked}')`, 'it has the focus');
        await page.type('wrong');
        await page.press('Enter');
        await page.until(
            'return /not right/.test(document.querySelector("dialog:last-of-type .form-problem").textContent)');
        page.troubles.length = 0;
        await page.fill(asked, PASSWORD);
        await page.press('Enter');
        await noDialog();
        await page.until('return /is set/.test(document.querySelector("#notices").textContent)');
        const sessions = await plans.server.api(root, 'GET', `/admin/users/${await idOf('root')}/`);
        assert.equal(sessions.sessions.length, 1, 'the old session is over');
        for (const each of [page, second]) {
            await each.run('document.querySelector(".sync-box .actions button").click()');
            await inSync(each);
            assert.equal(await each.run('return document.querySelector(".banner")'), null);
            assert.equal(await each.run('return document.querySelector(".user").textContent'), 'root');
        }
        await second.close();
        assert.equal(await logIn('bob', OTHER), 200);
    });

test('whoever leaves the password out has changed nothing', { skip }, async () => {
    age();
    await press('Disable …');
    await press('Disable', 'dialog');
    await page.has('dialog:last-of-type input[name=username]');
    await page.press('Escape');
    await page.until('return /Nothing was changed/.test(document.querySelector("dialog .form-problem").textContent)');
    await page.press('Escape');
    await noDialog();
    assert.equal((await plans.server.api(root, 'GET', `/admin/users/${await idOf('bob')}/`)).is_disabled, false);
    page.troubles.length = 0;
});

test('a person is disabled, told what that does, and enabled', { skip }, async () => {
    await show('#/people');
    await show(`#/people/${await idOf('bob')}`);
    await press('Disable …');
    await page.until('return document.activeElement.textContent === "Cancel"', 'the way out has the focus');
    assert.match(await text('dialog .consequences'), /1 session ends at once\..*1 access token is refused/);
    assert.deepEqual(await page.run(audit()), []);
    await press('Disable', 'dialog');
    await page.has('dialog:last-of-type input[autocomplete=current-password]');
    await page.type(PASSWORD);
    await page.press('Enter');
    await noDialog();
    await page.until('return /disabled/.test(document.querySelector(".sheet-head .chips").textContent)');
    page.troubles.length = 0;
    await press('Enable');
    await page.until('return !/disabled/.test(document.querySelector(".sheet-head .chips").textContent)');
});

test('a membership leads to the members of a project that a superuser has no copy of', { skip }, async () => {
    await press(`Boat ${SHOWN}Owner`);
    await page.until('return document.querySelectorAll(".members li").length === 1');
    assert.match(await text('.foreign'), /As a superuser/);
    await page.fill('#new-member', 'carol');
    await page.press('Enter');
    await page.until('return document.querySelectorAll(".members li").length === 2');
    await page.run(`const select = document.querySelector('[aria-label="Role of Carol Cole"]');
        select.value = '300';
        select.dispatchEvent(new Event('change'));`);
    await page.until('return /is Admin now/.test(document.querySelector("#notices").textContent)');
    await press('Remove Carol Cole');
    await press('Remove', 'dialog');
    await page.until('return document.querySelectorAll(".members li").length === 1');
    assert.deepEqual(await page.run(audit()), []);
});

test('a person is removed, unless a project would have no owner', { skip }, async () => {
    await show(`#/people/${await idOf('bob')}`);
    await press('Remove …');
    await press('Remove', 'dialog');
    await page.until('return /owner/i.test(document.querySelector("dialog .form-problem").textContent)');
    page.troubles.length = 0;
    await press('Cancel', 'dialog');
    await show(`#/people/${await idOf('carol')}`);
    await press('Remove …');
    await press('Remove', 'dialog');
    await page.until('return /disabled/.test(document.querySelector(".sheet-head .chips").textContent)');
});

test('one\'s own account is changed elsewhere', { skip }, async () => {
    await show(`#/people/${await idOf('root')}`);
    const actions = await texts('.head-actions > *');
    assert.deepEqual(actions, ['What they did', 'Rename …']);
    assert.equal(await page.run('return document.querySelector(\'#page a[href="#/account"]\') !== null'), true);
    await show('#/people/4711');
    assert.match(await text('.empty h2'), /no such account/);
    page.troubles.length = 0;
});

test('the audit list has all of it, with who and from where, in sentences', { skip }, async () => {
    await show('#/audit');
    const all = await texts('.feed-text p:first-child');
    for (const sentence of [
        'root added carol', `root renamed carol from “${SHOWN}” to “Carol Cole”`,
        'root disabled bob and ended 1 session',
        'root enabled bob', 'root ended a session of bob', `root added carol to Boat ${SHOWN} as Member`,
        `root made carol Admin of Boat ${SHOWN}, before Member`, `root removed carol (Admin) from Boat ${SHOWN}`,
        'root set the password of bob', 'bob created the project Boat',
    ]) assert.ok(all.some(each => each.startsWith(sentence)), `${sentence}\n${all.join('\n')}`);
    assert.equal((await entries()).length, all.length);
    const origins = await texts('.feed-text .small');
    assert.ok(origins.some(each => each === 'a session from 127.0.0.1'), origins.join());
    assert.ok(origins.some(each => /^the command line on /.test(each)));
    assert.equal(await page.run('return document.querySelectorAll("main img, main b").length'), 0);
});

test('the audit list is filtered by who, where and what, and the address says so', { skip }, async () => {
    const count = wanted => page.until(`return document.querySelectorAll('.feed-entry').length === ${wanted}`, wanted);
    const of = async query => (await plans.server.api(root, 'GET', `/admin/audit/?limit=100&${query}`)).results.length;
    const carol = await idOf('carol');
    await page.run('document.querySelectorAll(".filters input")[0].focus()');
    await page.type('CAROL');
    await page.press('Enter');
    await count(await of(`user=${carol}`));
    assert.equal(await page.run('return location.hash'), `#/audit?user=${carol}`);
    await page.run(`const select = document.querySelector('.filters select');
        select.value = 'role_changed';
        select.dispatchEvent(new Event('change'));`);
    await count(1);
    await page.fill('.filters input', 'nobody');
    await page.press('Enter');
    await page.until('return /no account “nobody”/.test(document.querySelector(".filters .form-problem").textContent)');
    await press('Clear');
    await count((await entries()).length);
    await show(`#/people/${carol}`);
    await press('What they did');
    await page.until('return document.querySelector(".filters input")?.value === "carol"', 'the name of the id');
    await count(await of(`user=${carol}`));
    await show('#/audit?project=boat');
    await count(await of('project=boat'));
    await page.until(`return document.querySelectorAll('.filters input')[1].value.startsWith('Boat')`, 'its name');
});

test('a long list comes page by page, and keeps its place', { skip }, async () => {
    for (let each = 0; each < 110; each += 1) {
        await plans.server.api(root, 'POST', '/auth/tokens/', { name: `t ${each}` });
    }
    await show('#/people');
    await show('#/audit');
    await page.until('return document.querySelectorAll(".feed-entry").length === 100');
    await page.run('document.querySelector(".list-foot button").focus()');
    await page.press('Enter');
    await page.until('return document.querySelectorAll(".feed-entry").length > 110');
    const days = await texts('.feed h2');
    assert.equal(new Set(days).size, days.length, 'each day stands once');
});

for (const colours of ['light', 'dark']) {
    test(`names and contrast, ${colours}, and nothing is wider than a phone`, { skip }, async () => {
        await page.prefer({ colours, motion: 'reduce' });
        for (const width of [1280, 320]) {
            await page.resize(width, 800);
            for (const route of ['#/people', `#/people/${await idOf('bob')}`, '#/audit', '#/people/4711']) {
                await show(route);
                const widths = await page.run('return [document.documentElement.scrollWidth, innerWidth]');
                assert.ok(widths[0] <= widths[1], `${route}: ${widths}`);
                assert.deepEqual(await page.run(audit()), [], route);
            }
            page.troubles.length = 0;
        }
        await page.resize(1280, 800);
    });
}

test('whoever has signed in with an access token is asked for the password, and goes on with a session', { skip },
    async () => {
        await press('Sign out', '.top');
        await page.has('.sign-in');
        await press('Use an access token instead', '.sign-in');
        await page.fill('input[name=token]', root);
        await page.press('Enter');
        await inSync(page);
        await show(`#/people/${await idOf('carol')}`);
        await press('Enable');
        await page.has('dialog input[autocomplete=current-password]');
        assert.match(await text('dialog p'), /signed in with an access token/);
        await page.type(PASSWORD);
        await page.press('Enter');
        await page.until('return !/disabled/.test(document.querySelector(".sheet-head .chips").textContent)');
        page.troubles.length = 0;
        await press('Rename …');
        await page.fill('dialog input[name=name]', 'Caroline');
        await page.press('Enter');
        await page.until('return document.querySelector("h1").textContent === "Caroline"', 'the session does');
    });

test('nothing is written to the browser\'s console, and nothing is asked of another host', { skip }, () => {
    assert.deepEqual(page.troubles, []);
    const hosts = new Set(page.requests.map(url => new URL(url).host));
    assert.deepEqual([...hosts], [new URL(plans.front.url).host]);
});
