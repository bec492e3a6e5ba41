// Measures the console in Chromium, and takes pictures of it: see scripts/check-console.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bigPlan } from '../../../clients/console/tests/support/big-plan.js';
import { files, servedText } from '../../../clients/console/tests/support/front.js';
import { filesBefore } from '../../../clients/console/tests/support/imports.js';
import { Plans } from '../../../clients/console/tests/support/plans.js';
import { dayOf, schedule } from '../../../clients/web/lib/schedule/index.js';

const TASKS = Number(process.env.TASKS ?? 10_000);
const ROUNDS = 5;
const TYPED = 11;
const BOUNDS = {
    bytes: 190_000, page: 1000, slowPage: 2000, firstPicture: 1500, frames: 50, window: 1000, typed: 50, schedule: 200,
};
const SIZES = [['wide', 1600, 900], ['middle', 900, 700], ['phone', 320, 640]];
const [folder] = process.argv.slice(2);
const failed = [];

const median = values => [...values].sort((one, other) => one - other)[values.length >> 1];
const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

function check(name, isGood, figure) {
    console.log(`${isGood ? 'ok  ' : 'FAIL'} ${name}: ${figure}`);
    if (!isGood) failed.push(name);
}

function transferred() {
    const size = paths => paths.reduce((total, path) => total + gzipSync(servedText(path)).length, 0);
    const before = filesBefore('lib/projects/page.js', 'lib/plan/page.js').map(([, path]) => path);
    const figure = `${(size(before) / 1000).toFixed(1)} kB in ${before.length} files`;
    check('compressed, until a plan is shown', size(before) < BOUNDS.bytes, figure);
    console.log(`     compressed, all files: ${(size([...files().values()]) / 1000).toFixed(1)} kB`);
}

/** The first one is computed by code that has never run before. */
function schedules() {
    const input = { ...bigPlan(TASKS), start: dayOf('2026-01-05'), today: dayOf('2026-06-01') };
    const taken = Array.from({ length: ROUNDS }, () => {
        const start = performance.now();
        schedule(input);
        return Math.round(performance.now() - start);
    });
    check(`the schedule of ${TASKS} tasks, the first time`, taken[0] <= BOUNDS.schedule, `${taken.join(', ')} ms`);
}

/** Until a browser that was never here asks for a name, on a line of 2 Mbit/s with 200 ms. */
async function slowLine() {
    const taken = [];
    for (let round = 0; round < ROUNDS; round += 1) {
        const { browserContextId } = await plans.tools.send('Target.createBrowserContext');
        const page = await plans.tools.page(null, { browserContextId });
        const bytesASecond = 250_000;
        await page.send('Network.emulateNetworkConditions', {
            offline: false, latency: 200, downloadThroughput: bytesASecond, uploadThroughput: bytesASecond,
        });
        const start = performance.now();
        await page.send('Page.navigate', { url: plans.front.url });
        await page.has('.sign-in input', 30_000);
        taken.push(performance.now() - start);
        await plans.tools.send('Target.disposeBrowserContext', { browserContextId });
    }
    const all = taken.map(each => Math.round(each)).join(', ');
    check('the page to sign in at 2 Mbit/s and 200 ms, median', median(taken) < BOUNDS.slowPage, `${all} ms`);
}

/** Until the first bar is drawn, with the rows in the browser already. */
async function firstPicture(page, url) {
    const { identifier } = await page.send('Page.addScriptToEvaluateOnNewDocument', { source: `
        const look = () => {
            const ring = document.querySelector('.plan-ring');
            if (ring && !ring.hidden) globalThis.firstPicture = performance.now();
            else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);` });
    const taken = [];
    for (let round = 0; round < ROUNDS; round += 1) {
        await page.open('about:blank');
        await page.open(url);
        taken.push(await page.until('return globalThis.firstPicture', 'the first picture', 30_000));
        await pause(500);
    }
    await page.send('Page.removeScriptToEvaluateOnNewDocument', { identifier });
    const all = taken.map(each => Math.round(each)).join(', ');
    check(`first picture of ${TASKS} tasks, median`, median(taken) < BOUNDS.firstPicture, `${all} ms`);
}

/** Seconds that the page's thread has computed, which say the same on a busy machine. */
async function cpuTime(page) {
    const { metrics } = await page.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'ThreadTime').value;
}

/** Scrolls by so many pixels a frame, for four seconds, and follows the bars sideways. */
async function scrolling(page, zoom, step) {
    await page.click(`[data-zoom=${zoom}]`);
    await pause(500);
    const before = await cpuTime(page);
    const { count, frames, longest } = await page.run(`
        const scroller = document.querySelector('.plan-scroll');
        scroller.scrollTop = scroller.scrollLeft = 0;
        const times = [];
        let [last, move] = [performance.now(), ${step}];
        const end = last + 4000;
        return new Promise(resolve => requestAnimationFrame(function next(now) {
            times.push(now - last);
            last = now;
            scroller.scrollTop += move;
            scroller.scrollLeft += 4;
            if (scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight) move = -move;
            if (now < end) return requestAnimationFrame(next);
            const all = times.slice(1);
            const sum = all.reduce((total, each) => total + each);
            return resolve({ count: all.length, frames: 1000 * all.length / sum, longest: Math.max(...all) });
        }));`);
    const cpu = 1000 * (await cpuTime(page) - before) / count;
    const slow = longest.toFixed(0);
    const figure = `${frames.toFixed(1)} a second, the longest ${slow} ms, ${cpu.toFixed(1)} ms of CPU each`;
    check(`frames while scrolling, ${zoom}, by ${step} px`, frames >= BOUNDS.frames, figure);
}

/** From a key in one window until the row in the other one shows it. */
async function between(first, second) {
    const shown = page => page.run('return document.querySelector("[aria-selected=true] .start").textContent');
    for (const page of [first, second]) {
        await page.run('document.querySelector(".plan-list").focus()');
        await page.press('Home', 'ctrl');
        await page.press('ArrowDown');
        await page.press('ArrowDown');
    }
    const taken = [];
    for (let round = 0; round < ROUNDS; round += 1) {
        const before = await shown(second);
        const start = performance.now();
        await first.press('ArrowRight', 'alt');
        await second.until(
            `return document.querySelector('[aria-selected=true] .start').textContent !== '${before}'`, 'it follows');
        taken.push(performance.now() - start);
        await pause(300);
    }
    const all = taken.map(each => Math.round(each)).join(', ');
    check('an edit is in the other window, median', median(taken) < BOUNDS.window, `${all} ms`);
}

/** From Enter in a new name until it is painted, with the next one open; the time between two frames counts, too. */
async function typing(page) {
    await page.run('document.querySelector(".plan-list").focus()');
    await page.press('End', 'ctrl');
    await page.press('ArrowDown');
    await page.press('Enter');
    await page.has('.editor');
    await page.run(`globalThis.typed = [];
        addEventListener('keydown', ({ key, timeStamp }) => key === 'Enter' && requestAnimationFrame(() => {
            const painted = new MessageChannel();
            painted.port1.onmessage = () => typed.push(performance.now() - timeStamp);
            painted.port2.postMessage(null);
        }), true)`);
    for (let round = 1; round <= TYPED; round += 1) {
        await page.type(`Typed ${round}`);
        await page.press('Enter');
        await page.until(`return typed.length === ${round}`, 'it is painted');
        await pause(100);
    }
    await page.press('Escape');
    const taken = await page.run('return typed');
    const all = taken.map(each => Math.round(each)).join(', ');
    check(`a typed row among ${TASKS} tasks is painted, median`, median(taken) <= BOUNDS.typed, `${all} ms`);
}

async function pictures(page, base) {
    const take = async name => {
        await pause(300);
        await page.screenshot(join(folder, `${name}.png`));
    };
    for (const colours of ['light', 'dark']) {
        await page.prefer({ colours, motion: 'reduce' });
        for (const [size, width, height] of SIZES) {
            await page.resize(width, height);
            for (const [name, route] of [['projects', '#/projects'], ['plan', '#/plan/small?zoom=week']]) {
                await page.open(base + route);
                await page.has(name === 'plan' ? '.plan-ring' : '.list a');
                await take(`${name}-${size}-${colours}`);
            }
            await page.run('document.querySelector(".plan-list").focus()');
            await page.press('ArrowDown');
            await page.press('ArrowDown');
            await page.press('Enter', 'ctrl');
            await take(`task-${size}-${colours}`);
        }
    }
}

/** The pages for superusers, of whom the server needs one. */
async function serverPictures(page, base) {
    plans.superuser('root');
    await page.resize(1600, 900);
    await page.open(`${base}#/projects`);
    await page.click('.sign-out');
    await plans.signIn(page, 'root');
    await page.has('.links a[href="#/now"]');
    for (const colours of ['light', 'dark']) {
        await page.prefer({ colours, motion: 'reduce' });
        for (const [size, width, height] of SIZES) {
            await page.resize(width, height);
            for (const name of ['now', 'storage', 'people', 'people/1', 'devices', 'audit', 'lost', 'explain']) {
                await page.open(`${base}#/${name}`);
                await page.until(`return document.querySelector("#page h1") && !document.querySelector(".loading")
                    && document.querySelector(".plot-value")?.textContent !== ''`, name);
                await pause(300);
                await page.screenshot(join(folder, `${name.replace('/', '-')}-${size}-${colours}.png`));
            }
        }
    }
}

const plans = await Plans.start();
try {
    transferred();
    schedules();
    const token = await plans.user('alice');
    await plans.project(token, 'big', 'Harbour extension', TASKS);
    await plans.project(token, 'small', 'Boat house', 40);
    const first = await plans.page('', { width: 1440, height: 900 });
    await first.send('Performance.enable', { timeDomain: 'threadTicks' });
    await first.has('.sign-in input');
    const shown = Math.round(await first.run('return performance.now()'));
    check('the page to sign in, with nothing kept', shown < BOUNDS.page, `${shown} ms`);
    await slowLine();
    if (folder) {
        mkdirSync(folder, { recursive: true });
        await first.screenshot(join(folder, 'sign-in.png'));
    }
    const start = performance.now();
    await plans.signIn(first, 'alice');
    await first.until('return document.querySelector(".sync-text")?.textContent === "In sync"', 'in sync', 120_000);
    console.log(`     first sync: ${Math.round(performance.now() - start)} ms`);
    await firstPicture(first, `${plans.front.url}#/plan/big?zoom=week`);
    for (const [zoom, step] of [['week', 30], ['week', 300], ['day', 60], ['quarter', 120]]) {
        await scrolling(first, zoom, step);
    }
    await first.open(`${plans.front.url}#/plan/big?zoom=week`);
    const second = await plans.page('#/plan/big?zoom=week', { width: 1440, height: 900 });
    for (const page of [first, second]) await page.has('.plan-ring', 30_000);
    await between(first, second);
    await second.close();
    await typing(first);
    if (folder) {
        await pictures(first, plans.front.url);
        await serverPictures(first, plans.front.url);
    }
} finally {
    await plans.stop();
}
process.exit(failed.length > 0 ? 1 : 0);
