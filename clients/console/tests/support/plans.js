import { spawnSync } from 'node:child_process';
import { BINARY, ENVIRONMENT, Server } from '../../../watermelondb/tests/support/server.js';
import { bigPlan, upload } from './big-plan.js';
import { startBrowser } from './browsers.js';
import { Front } from './front.js';

/**
 * Whoever serves the console: the server itself, if it does, otherwise a front with the files of the working tree. With
 * `FRONT=1` it is always the front, for a binary that has older files.
 */
export async function frontOf(server) {
    const url = `${server.url}/console/`;
    if (process.env.FRONT || !(await fetch(url)).ok) return Front.start(server);
    return { url, stop: () => server.halt(), run: () => server.run() };
}

export const PASSWORD = 'correct horse battery';

/** A server with the console before it, a browser, and users who can log in. */
export class Plans {
    pages = [];

    /** `settings` are TIDEMARK_ variables of the server, `options` those of `Server.start`. */
    static async start(settings = {}, options = {}) {
        const plans = new Plans();
        plans.server = await Server.start(settings, options);
        plans.front = await frontOf(plans.server);
        plans.tools = startBrowser();
        return plans;
    }

    async stop() {
        await this.tools.stop();
        await this.front.stop();
        await this.server.stop();
    }

    /** Adds a user who can log in, and returns a token. */
    async user(name) {
        const args = ['user', 'add', name, '--password-stdin', '--database', this.server.database];
        spawnSync(BINARY, args, { env: ENVIRONMENT, input: `${PASSWORD}\n` });
        return this.server.command('token', 'create', '--user', name);
    }

    /** Adds a superuser who can log in. */
    superuser(name) {
        const args = ['user', 'add', name, '--superuser', '--password-stdin', '--database', this.server.database];
        spawnSync(BINARY, args, { env: ENVIRONMENT, input: `${PASSWORD}\n` });
    }

    /** Changes a password, which ends the user's sessions. */
    setPassword(name, password) {
        const args = ['user', 'password', name, '--password-stdin', '--database', this.server.database];
        spawnSync(BINARY, args, { env: ENVIRONMENT, input: `${password}\n` });
    }

    /** Makes a project with a plan of so many tasks. */
    async project(token, id, name, count) {
        await this.server.api(token, 'POST', '/projects/', { id, name, start_date: '2026-01-05' });
        await upload(this.server.url, token, id, bigPlan(count, `${id}-`));
    }

    async page(route = '', size = undefined) {
        const page = await this.tools.page(this.front.url + route, size);
        this.pages.push(page);
        return page;
    }

    signIn(page, username, password = PASSWORD) {
        return signIn(page, username, password);
    }
}

/** Types a name and a password into the page that asks for them. */
export async function signIn(page, username, password = PASSWORD) {
    await page.has('input[name=username]');
    await page.fill('input[name=username]', username);
    await page.fill('input[name=password]', password);
    await page.press('Enter');
}
