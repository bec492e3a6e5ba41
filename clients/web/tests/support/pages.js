import { createServer } from 'node:http';
import { Server } from '../../../watermelondb/tests/support/server.js';
import { Chromium } from './chromium.js';

/** A page's origin, a server whose API it may call, with a project of alice, and a browser. */
export class Pages {
    /**
     * `answer` is called with each path that the browser asks the page's origin for, and the response. With a folder of
     * `schemas` the server has these, and no project.
     */
    static async start(answer, { schemas = null } = {}) {
        const pages = new Pages();
        pages._files = createServer(({ url }, response) => answer(new URL(url, 'http://files').pathname, response));
        await new Promise(resolve => pages._files.listen(0, '127.0.0.1', resolve));
        pages.origin = `http://127.0.0.1:${pages._files.address().port}`;
        pages.server = await Server.start({ TIDEMARK_HTTP_ORIGINS: pages.origin }, { schemas });
        pages.alice = await pages.server.user('alice');
        if (!schemas) pages.project = await pages.server.project(pages.alice, 'Boat');
        pages.browser = await Chromium.start();
        return pages;
    }

    async stop() {
        await this.browser?.stop();
        await this.server?.stop();
        this._files.close();
        this._files.closeAllConnections();
    }
}
