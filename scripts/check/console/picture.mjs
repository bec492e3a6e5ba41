// Takes the README's pictures: the demo's plan, light and dark. See scripts/check-console.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DevTools } from '../../../clients/console/tests/support/devtools.js';
import { frontOf } from '../../../clients/console/tests/support/plans.js';
import { Server } from '../../../clients/watermelondb/tests/support/server.js';

const docs = fileURLToPath(new URL('../../../docs/', import.meta.url));
const server = await Server.start({}, { flags: ['--demo'] });
const front = await frontOf(server);
const tools = DevTools.start();
try {
    const page = await tools.page(front.url, { width: 1440, height: 810 });
    await page.has('.sign-in input');
    await page.fill('input[name=username]', 'demo');
    await page.fill('input[name=password]', readFileSync(`${server.database}-demo-password`, 'utf8'));
    await page.press('Enter');
    await page.has('.list a');
    await page.run('location.hash = "/plan/demo-project?zoom=week"');
    for (const colours of ['light', 'dark']) {
        await page.prefer({ colours, motion: 'reduce' });
        await page.until('return document.body.textContent.includes("Strip out")', 'the plan', 30_000);
        await page.until('return document.querySelector(".sync-text").textContent === "In sync"', 'in sync', 30_000);
        // The schedule is computed after the plan is shown.
        await page.has('.overdue-mark', 30_000);
        await page.run(`return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))`);
        await page.screenshot(`${docs}console-${colours}.png`);
    }
} finally {
    await tools.stop();
    await front.stop();
    await server.stop();
}
