import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { tidemark } from '../../watermelondb/tests/support/server.js';
import { Chromium, hasChromium } from './support/chromium.js';
import { until } from './support/open.js';
import { Pages } from './support/pages.js';

// An app of its own schema in plain JavaScript (apps/inspection), as its author would write it by the docs: two
// browsers, without a network, in conflict, and from one version of the schema to the next.

const skip = !hasChromium() && 'there is no chromedriver';
const APP = fileURLToPath(new URL('apps/inspection/', import.meta.url));
const PASSWORD = 'correct horse battery';
const TYPES = { html: 'text/html', js: 'text/javascript', json: 'application/json' };

let pages, server, alice, bob, folder, project, version;

before(async () => {
    if (skip) return;
    folder = mkdtempSync(join(tmpdir(), 'tidemark-inspection-'));
    cpSync(APP, folder, { recursive: true });
    pages = await Pages.start(answer, { schemas: join(folder, 'schemas') });
    ({ server } = pages);
    project = (await server.api(pages.alice, 'POST', '/projects/', { name: 'Bridge' })).id;
    for (const name of ['anna', 'bert']) {
        await server.account(name, PASSWORD);
        await server.member(project, name, 'member');
    }
    await release('1');
    [alice, bob] = [pages.browser, await Chromium.start()];
});
after(async () => {
    await bob?.stop();
    await pages?.stop();
    if (folder) rmSync(folder, { recursive: true });
});

/** The files of the app, and what tells it where it is. */
function answer(path, response) {
    const name = path === '/' ? 'index.html' : path.slice(1);
    const text = name === 'config.json' ? JSON.stringify({ server: server.url, project, version })
        : readFileSync(join(folder, name));
    return response.writeHead(200, { 'Content-Type': TYPES[name.split('.').at(-1)] }).end(text);
}

/** A new version of the app brings the schema that it is made for. */
async function release(number) {
    const text = await tidemark('schema', '--format', 'jsonschema', '--schemas', join(folder, 'schemas'));
    writeFileSync(join(folder, `schema-${number}.json`), text);
    version = number;
}

const submit = (browser, form, values) => browser.run(`
    const form = document.querySelector(${JSON.stringify(form)});
    for (const [name, value] of Object.entries(${JSON.stringify(values)})) form.elements[name].value = value;
    form.requestSubmit();`);
const text = (browser, selector) => browser.run(`return document.querySelector('${selector}').textContent`);
const shows = (browser, status) => until(async () => await text(browser, '#status') === status, status);
const findings = browser => browser.run(
    'return [...document.querySelectorAll("#findings li")].map(each => each.firstChild.value + each.textContent)');
const hasFound = (browser, ...expected) => until(
    async () => (await findings(browser)).sort().join() === expected.join(), `findings ${expected}`);
const correct = (browser, from, to) => browser.run(`
    const input = [...document.querySelectorAll('#findings input')].find(({ value }) => value === '${from}');
    input.value = '${to}';
    input.dispatchEvent(new Event('change'));`);

async function start(browser, username) {
    await browser.open(pages.origin);
    await shows(browser, 'Sign in.');
    await submit(browser, '#sign-in', { username, password: PASSWORD });
    await shows(browser, 'online, 0 unsent');
}

test('two browsers share a visit and its findings', { skip }, async () => {
    await start(alice, 'anna');
    await start(bob, 'bert');
    await submit(alice, '#inspect', { place: 'North pier', day: '2026-06-01' });
    await until(() => text(bob, '#inspection'), 'the visit');
    await submit(alice, '#find', { text: 'Rust', severity: 'major' });
    await hasFound(bob, 'Rust major');
    await submit(bob, '#find', { text: 'Crack', severity: 'minor' });
    await hasFound(alice, 'Crack minor', 'Rust major');
});

test('what is wrong is said at once, and not stored', { skip }, async () => {
    await submit(alice, '#find', { text: 'x'.repeat(501), severity: 'minor' });
    await until(async () => /500/.test(await text(alice, '#status')), 'the sentence of the server');
    await hasFound(alice, 'Crack minor', 'Rust major');
});

test('both edit without a network, and the edit in conflict is told to whoever comes second', { skip }, async () => {
    await server.halt();
    const isOffline = async browser => /^offline/.test(await text(browser, '#status'));
    await until(async () => await isOffline(alice) && await isOffline(bob), 'offline');
    await correct(alice, 'Rust', 'Rust at the bearing');
    await correct(bob, 'Rust', 'Rust everywhere');
    await submit(bob, '#find', { text: 'Graffiti', severity: 'minor' });
    await hasFound(bob, 'Crack minor', 'Graffiti minor', 'Rust everywhere major');
    await shows(bob, 'offline, 2 unsent');
    // Bert closes the page, and comes back later.
    await bob.open('about:blank');
    await server.run();
    await shows(alice, 'online, 0 unsent');
    await bob.open(pages.origin);
    await hasFound(bob, 'Crack minor', 'Graffiti minor', 'Rust at the bearing major');
    await hasFound(alice, 'Crack minor', 'Graffiti minor', 'Rust at the bearing major');
    await until(async () => await text(bob, '#lost li') === 'conflict: Rust everywhere Seen', 'the lost edit');
    await bob.run('document.querySelector("#lost button").click()');
    await until(async () => await text(bob, '#lost') === '', 'it was seen');
});

test('a new version of the schema reaches both, and the older app goes on', { skip }, async () => {
    const file = join(folder, 'schemas/findings.json');
    const schema = JSON.parse(readFileSync(file, 'utf8'));
    schema.properties.severity.enum.push('critical');
    schema.properties.photo_count = { type: 'integer', minimum: 0, default: 0 };
    writeFileSync(file, JSON.stringify(schema));
    await release('2');
    // Anna has the new app already, and the server is still the old one: it refuses what it does not know.
    await alice.open(pages.origin);
    await hasFound(alice, 'Crack minor', 'Graffiti minor', 'Rust at the bearing major');
    await submit(alice, '#find', { text: 'Hole', severity: 'critical' });
    await hasFound(alice, 'Crack minor', 'Graffiti minor', 'Hole critical', 'Rust at the bearing major');
    await until(async () => /severity/.test(await text(alice, '#lost')), 'why the server does not take it');
    await server.halt();
    await server.run();
    await hasFound(bob, 'Crack minor', 'Graffiti minor', 'Hole critical', 'Rust at the bearing major');
    await until(async () => await text(alice, '#lost') === '', 'it was taken');
    // Bert's page is still that of the first version.
    await correct(bob, 'Hole', 'Deep hole');
    await hasFound(alice, 'Crack minor', 'Deep hole critical', 'Graffiti minor', 'Rust at the bearing major');
    const [hole] = await alice.run('return tidemark.rows("findings", { where: { text: "Deep hole" } })');
    await alice.run(`return tidemark.update('findings', '${hole.id}', { photo_count: 2 })`);
    await bob.open(pages.origin);
    await hasFound(bob, 'Crack minor', 'Deep hole critical, 2 photos', 'Graffiti minor', 'Rust at the bearing major');
    for (const browser of [alice, bob]) await shows(browser, 'online, 0 unsent');
});

test('the pages had no errors', { skip }, async () => {
    for (const browser of [alice, bob]) {
        assert.deepEqual((await browser.errors()).filter(message => !message.includes('net::ERR_')), []);
    }
});
