import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { hasChromium } from './support/devtools.js';
import { Front } from './support/front.js';
import { filesBefore, filesOfSignIn } from './support/imports.js';
import { Plans, PASSWORD } from './support/plans.js';

// A new browser on a slow line: what it asks for, and in how many turns, decides how long that takes.

const skip = hasChromium() ? false : 'there is no chromium';
// The browser asks for it when it likes.
const ICON = 'icon.svg';
const LINE = { bytesASecond: 250_000, latency: 0.2, connections: 6 };
const FIRST_PLAN = filesBefore('lib/projects/page.js', 'lib/plan/page.js');

/** Holds back all files but some, and counts the bytes of each answer: of its body, and with its head. */
class SlowFront extends Front {
    sent = [];
    allowed = null;
    _held = [];

    letGo() {
        this.allowed = null;
        for (const answer of this._held.splice(0)) answer();
    }

    _answer(question, answer) {
        const name = decodeURI(question.url).replace(/^\/console\//, '').replace(/\?.*/, '') || 'index.html';
        const go = () => this._count(name, question, answer);
        if (question.url.startsWith('/console/') && this.allowed?.has(name) === false) return this._held.push(go);
        return go();
    }

    _count(name, question, answer) {
        const { socket } = question;
        const before = socket.bytesWritten;
        const entry = { name, body: 0, bytes: 0 };
        this.sent.push(entry);
        for (const method of ['write', 'end']) {
            const original = answer[method];
            answer[method] = (chunk, ...rest) => {
                entry.body += chunk?.length ?? 0;
                return original.call(answer, chunk, ...rest);
            };
        }
        answer.on('close', () => { entry.bytes = socket.bytesWritten - before; });
        super._answer(question, answer);
    }
}

let plans;
const fronts = [];

before(async () => {
    if (skip) return;
    plans = await Plans.start();
    await plans.project(await plans.user('alice'), 'boat', 'Boat house', 30);
});
after(async () => {
    if (skip) return;
    for (const front of fronts) front.stop();
    await plans.stop();
});

/** A browser that was never here, before a front that answers only these files. */
async function visit(allowed) {
    const front = await SlowFront.start(plans.server);
    fronts.push(front);
    front.allowed = new Set(allowed.map(([name]) => name));
    const { browserContextId } = await plans.tools.send('Target.createBrowserContext');
    const page = await plans.tools.page(null, { browserContextId });
    await page.send('Page.navigate', { url: front.url });
    return { front, page };
}

test('it asks for name and password before anything else is there, and nothing that is typed gets lost', { skip },
    async () => {
        const { front, page } = await visit(filesOfSignIn());
        await page.has('.sign-in input[name=password]');
        await page.fill('input[name=username]', 'alice');
        await page.fill('input[name=password]', PASSWORD);
        await page.press('Enter');
        await page.until('return document.querySelector(".sign-in .primary").disabled', 'it waits for the rest');
        assert.equal(await page.run('return document.querySelector("input[name=username]").value'), 'alice');
        front.letGo();
        await page.has('.list a[href="#/plan/boat"]', 30_000);
        assert.deepEqual(page.troubles, []);
        await page.close();
    });

test('that takes at most two seconds at 2 Mbit/s and 200 ms', { skip }, async () => {
    const { front, page } = await visit(filesOfSignIn());
    await page.has('.sign-in input[name=password]');
    const asked = front.sent.filter(({ name }) => front.allowed.has(name) && name !== ICON);
    const index = readFileSync(new URL('../index.html', import.meta.url), 'utf8');
    for (const { name } of asked.filter(each => each.name !== 'index.html')) {
        assert.ok(index.includes(`"${name}"`), `${name} is asked for in the second turn, not later`);
    }
    const bytes = asked.reduce((sum, each) => sum + each.bytes, 0);
    const turns = 1 + Math.ceil((asked.length - 1) / LINE.connections);
    const seconds = turns * LINE.latency + bytes / LINE.bytesASecond;
    assert.ok(bytes > 10_000, `${bytes} bytes`);
    assert.ok(seconds <= 2, `${asked.length} requests, ${turns} turns, ${bytes} bytes: ${seconds.toFixed(2)} s`);
    await page.close();
});

test('until the first plan is shown, the bodies of all answers have 190 kB, without its rows', { skip }, async () => {
    const { front, page } = await visit(FIRST_PLAN);
    await plans.signIn(page, 'alice');
    await page.has('.list a[href="#/plan/boat"]', 60_000);
    await page.click('.list a[href="#/plan/boat"]');
    await page.until('return document.querySelector(".plan-ring")?.hidden === false', 'a bar is drawn', 60_000);
    const without = front.sent.filter(({ name }) => !/\/sync\/(\?|$)/.test(name));
    const bytes = without.reduce((sum, each) => sum + each.body, 0);
    const files = without.map(({ name }) => name).filter(name => front.allowed.has(name) && name !== ICON);
    const twice = files.filter((name, place) => files.indexOf(name) !== place);
    assert.deepEqual(twice, [], 'no file comes twice');
    const largest = without.toSorted((one, other) => other.body - one.body).slice(0, 5);
    assert.ok(bytes <= 190_000, `${without.length} answers, ${bytes} bytes: ${JSON.stringify(largest)}`);
    await page.close();
});

test('what the first plan needs is named by the page', () => {
    const index = readFileSync(new URL('../index.html', import.meta.url), 'utf8');
    for (const [name] of FIRST_PLAN) {
        if (!/\.(html|css|svg)$/.test(name)) assert.ok(index.includes(`"${name}"`), `${name}: scripts/console-files`);
    }
});

test('without the network for the rest, it says so', { skip }, async () => {
    const { front, page } = await visit(filesOfSignIn());
    await page.has('.sign-in input');
    front.stop();
    await page.has('.problem');
    assert.match(await page.text('.problem'), /can't be reached/);
    await front.run();
    front.letGo();
    await page.click('.problem button');
    await page.has('.sign-in input');
    await page.close();
});
