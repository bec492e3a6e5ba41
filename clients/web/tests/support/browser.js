// A browser with tabs that share a disk, locks and channels, and that can die at any step.
import { Disk } from './indexeddb.js';
import { KeyRange } from './keys.js';

globalThis.IDBKeyRange = KeyRange;

const never = () => new Promise(() => {});

export class Browser {
    disk = new Disk();
    tabs = new Set();
    _locks = new Map();
    _channels = new Set();

    tab() {
        const tab = new Tab(this);
        this.tabs.add(tab);
        return tab;
    }

    /** The next in line gets the lock. */
    grant(name) {
        const line = this._locks.get(name) ?? [];
        const [first] = line;
        if (!first || first.isHeld) return;
        first.isHeld = true;
        setImmediate(() => first.begin());
    }

    enqueue(name, entry) {
        if (entry.tab.isDead) return;
        if (!this._locks.has(name)) this._locks.set(name, []);
        this._locks.get(name).push(entry);
        this.grant(name);
    }

    release(name, entry) {
        this._locks.set(name, this._locks.get(name).filter(each => each !== entry));
        this.grant(name);
    }

    forget(tab) {
        this.tabs.delete(tab);
        this.disk.forget(tab);
        for (const channel of [...this._channels]) if (channel.tab === tab) this._channels.delete(channel);
        for (const [name, line] of this._locks) {
            this._locks.set(name, line.filter(entry => entry.tab !== tab));
            this.grant(name);
        }
    }
}

/** One tab. `died` resolves when it dies; from then on nothing that it waits for ever comes. */
export class Tab {
    isDead = false;
    steps = [];
    _killAt = Infinity;
    _failure = null;

    constructor(browser) {
        this.browser = browser;
        this.indexedDB = browser.disk.factory(this);
        this.died = new Promise(resolve => { this._onDeath = resolve; });
        this.locks = { request: (...args) => this._request(...args) };
    }

    /** Lets the tab die before the step with this number from now: 1 is the next one. */
    killAt(step) {
        this._killAt = this.steps.length + step;
    }

    kill() {
        if (this.isDead) return;
        this.isDead = true;
        this.browser.forget(this);
        this._onDeath();
    }

    /** Whether the tab still lives, at a step of its storage, its network or its channel. */
    async step(what) {
        if (this.isDead) return false;
        this.steps.push(what);
        if (this.steps.length >= this._killAt) this.kill();
        return !this.isDead;
    }

    /** Lets the next transaction that writes fail when it commits. */
    failCommit(name) {
        this._failure = new DOMException('It failed.', name);
    }

    failureAtCommit() {
        const failure = this._failure;
        this._failure = null;
        return failure;
    }

    /** Told after each commit. */
    committed() {}

    channel = name => {
        const channel = {
            name, tab: this, onmessage: null, isClosed: false,
            close: () => {
                channel.isClosed = true;
                this.browser._channels.delete(channel);
            },
            postMessage: message => {
                this.step('tell');
                if (this.isDead) return;
                if (channel.isClosed) throw new DOMException('It is closed.', 'InvalidStateError');
                const others = [...this.browser._channels].filter(each => each !== channel && each.name === name);
                for (const other of others) {
                    const data = structuredClone(message);
                    setImmediate(() => this.browser._channels.has(other) && other.onmessage?.({ data }));
                }
            },
        };
        if (!this.isDead) this.browser._channels.add(channel);
        return channel;
    };

    /** A `fetch` that dies with the tab. `network` decides what becomes of a request: see network.js. */
    fetch(network) {
        return async (address, init) => {
            if (!await this.step('send')) return never();
            const answer = await network(address, init).catch(error => {
                if (this.isDead) return never();
                throw error;
            });
            return await this.step('answer') ? answer : never();
        };
    }

    wait = async () => (this.isDead ? never() : undefined);

    _request(name, ...rest) {
        const [work, { signal } = {}] = rest.reverse();
        if (this.isDead) return never();
        return new Promise((resolve, reject) => {
            const entry = { tab: this, isHeld: false, begin: async () => {
                if (this.isDead) return;
                try {
                    resolve(await work({ name }));
                } catch (error) {
                    reject(error);
                }
                if (!this.isDead) this.browser.release(name, entry);
            } };
            signal?.addEventListener('abort', () => {
                if (entry.isHeld) return;
                this.browser.release(name, entry);
                reject(new DOMException('Aborted.', 'AbortError'));
            });
            this.browser.enqueue(name, entry);
        });
    }
}
