import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DevTools } from '../support/devtools.js';
import { Tab } from './tab.js';

/** A browser with one profile, which outlasts it. */
export class Desktop {
    tabs = new Set();
    /** Of all tabs that there ever were. */
    pages = [];
    profile = mkdtempSync(join(tmpdir(), 'tidemark-campaign-'));
    _gone = new Map();

    async start() {
        this.tools = DevTools.startWith(this.profile);
        this.tools.listen(undefined, (method, { targetId }) => {
            if (method === 'Target.targetCrashed' || method === 'Target.targetDestroyed') this._isGone(targetId);
        });
        await this.tools.send('Target.setDiscoverTargets', { discover: true });
    }

    async tab(url) {
        const page = await this.tools.page(undefined, { width: 1280, height: 900 });
        this.pages.push(page);
        const tab = new Tab(page, target => this._whenGone(target));
        this.tabs.add(tab);
        await tab.open(url);
        return tab;
    }

    async reload(tab) {
        this.tabs.delete(tab);
        const made = await tab.reload();
        this.tabs.add(made);
        return made;
    }

    /** Everything at once. */
    async kill() {
        for (const tab of this.tabs) tab.dead();
        this.tabs.clear();
        await this.tools.kill();
    }

    async stop() {
        await this.kill();
        rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
    }

    _whenGone(target) {
        return new Promise(resolve => this._gone.set(target, resolve));
    }

    /** Two tabs may share a process, so a crash may take the other one along. */
    _isGone(target) {
        this._gone.get(target)?.();
        for (const tab of this.tabs) {
            if (tab.page.target !== target) continue;
            tab.dead();
            this.tabs.delete(tab);
        }
    }
}
