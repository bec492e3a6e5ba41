import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audit } from './support/audit.js';
import { PASSWORD } from './support/plans.js';
import { withRoot } from './support/with-root.js';

// The pages of an account and of all devices in a real browser.

let plans, page;
const skip = withRoot(begun => { ({ plans, page } = begun); });
const NASTY = '<b onclick=alert(1)>\u202Etoken\u202C ☃ “a”';

const texts = selector => page.run(
    `return [...document.querySelectorAll(${JSON.stringify(selector)})].map(each => each.textContent)`);
const TOKENS = '[aria-label="Access tokens"] tbody th';

test('the page of an account shows who one is, and the device that shows it', { skip }, async () => {
    await plans.signIn(page, 'alice');
    await page.until('return document.querySelector(".sync-text")?.textContent === "In sync"', 'in sync', 20_000);
    await page.open(`${plans.front.url}#/account`);
    await page.until('return document.querySelector(".account-name strong")?.textContent === "alice"');
    await page.until('return document.querySelector("[aria-label=Devices] tbody th")?.textContent === "Console"');
    assert.deepEqual(await texts(TOKENS), ['command line']);
    assert.equal((await texts('.top a[href="#/account"]')).length, 1, 'one link leads here');
    assert.deepEqual(await page.run(audit()), []);
});

test('a token is made, shown once, and revoked', { skip }, async () => {
    await page.fill('input[name=name]', NASTY);
    await page.press('Enter');
    const token = await page.until('return document.querySelector("dialog input")?.value');
    assert.match(token, /^tmk_/);
    const me = await fetch(`${plans.server.url}/api/v1/auth/me/`, { headers: { Authorization: `Bearer ${token}` } });
    assert.equal(me.status, 200);
    assert.deepEqual(await page.run(audit()), []);
    await page.click('dialog .primary');
    await page.until(`return document.querySelectorAll(${JSON.stringify(TOKENS)}).length === 2`);
    assert.equal((await texts(TOKENS))[1], NASTY.replace(/[\u202a-\u202e]/g, ''), 'no mark turns what follows');
    assert.equal((await page.run('return document.body.innerHTML')).includes(token), false);
    await page.click('[aria-label="Access tokens"] tbody tr:last-child button');
    await page.click('dialog .danger');
    await page.until(`return document.querySelectorAll(${JSON.stringify(TOKENS)}).length === 1`);
    const after = await fetch(`${plans.server.url}/api/v1/auth/me/`, { headers: { Authorization: `Bearer ${token}` } });
    assert.equal(after.status, 401);
});

test('a new password ends all other sessions, and this one goes on', { skip }, async () => {
    const change = async (current, next, again) => {
        for (const [name, value] of Object.entries({ current, next, again })) {
            await page.fill(`input[name=${name}]`, value);
        }
        await page.press('Enter');
    };
    const says = text => page.until(
        `return document.querySelector('[aria-label=Password] .form-problem').textContent.includes('${text}')`, text);
    await change(PASSWORD, 'one thing', 'another thing');
    await says('differ');
    await change('wrong password', 'a new password', 'a new password');
    await says('not right');
    page.troubles.length = 0; // The browser writes each 401 to its console.
    await change(PASSWORD, 'a new password', 'a new password');
    await page.until('return document.querySelector(".notice")?.textContent.includes("changed")');
    await page.until('return document.querySelector(".sync-text").textContent === "In sync"', 'in sync', 20_000);
    page.troubles.length = 0;
});

test('a superuser sees everybody\'s devices, and nobody else is led there', { skip }, async () => {
    assert.equal((await texts('.links a')).includes('Server'), false);
    await page.click('.sign-out');
    await page.has('.sign-in');
    await plans.signIn(page, 'root');
    await page.click('.links a[href="#/now"]');
    await page.has('.server-pages a[href="#/devices"]');
    await page.open(`${plans.front.url}#/devices`);
    const users = 'document.querySelectorAll(".wide-table tbody td:first-child")';
    await page.until(`return [...${users}].some(({ textContent }) => textContent === 'alice')`);
    assert.deepEqual(await page.run(audit()), []);
    await page.run(`[...${users}].find(({ textContent }) => textContent === 'alice')
        .parentElement.querySelector('button').click()`);
    await page.click('dialog .danger');
    await page.until(`return [...${users}].every(({ textContent }) => textContent !== 'alice')`);
});

test('nothing is written to the browser\'s console', { skip }, () => {
    assert.deepEqual(page.troubles, []);
});
