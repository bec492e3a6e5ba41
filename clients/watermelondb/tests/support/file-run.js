import assert from 'node:assert/strict';
import { bytesOf } from '../../../web/tests/support/files.js';
import { generator } from '../../../web/tests/support/random.js';
import { TidemarkError, createSync } from '../../index.js';
import { Disk } from './file-stores.js';
import { FileServer, problem, sha256 } from './file-server.js';
import { Database } from './standin.js';
import { synchronize } from './synchronize.js';

/** What happens how often, from 0 to 1, unless a run says otherwise. */
const MIX = {
    kills: 0.004, requests: 0.05, answers: 0.05, cuts: 0.3, busy: 0.03, forgets: 0.02, restores: 0.06, restarts: 0.1,
    removes: 0.04, refusals: 0, rows: 0.8, garbled: 0.02, ends: 0.1,
};
const SIZES = [0, 5, 1000, 262_144, 300_000, 700_000];

/** Ends whatever an app does that was killed. */
class Killed extends Error {}

/**
 * A random run of an app with files that dies at any step of its storage, its disk and its network, against a server of
 * whose requests and answers some are lost.
 */
export class FileRun {
    counts = {
        adds: 0, kills: 0, requests: 0, answers: 0, cuts: 0, busy: 0, forgets: 0, restores: 0, opens: 0, removes: 0,
        garbled: 0, refusals: 0, swept: 0, ends: 0,
    };
    isNoisy = true;
    values = new Map();
    disk = new Disk();
    server = new FileServer();
    /** What was acknowledged, by digest: the bytes, and whether they may be gone. */
    added = new Map();
    /** How often the server has lost a file, by digest. */
    lost = new Map();
    now = 1e12;

    constructor(seed, { mix = {}, cacheBytes, keep, isNative = true } = {}) {
        Object.assign(this, { seed, random: generator(seed), mix: { ...MIX, ...mix }, cacheBytes, keep, isNative });
        this.database = new Database();
        this.start();
    }

    below = number => Math.floor(this.random() * number);
    pick = list => list[this.below(list.length)];
    happens = what => this.isNoisy && this.random() < this.mix[what] && ++this.counts[what] > 0;

    async run(steps = 30) {
        for (let step = 0; step < steps; step++) {
            if (this.life.isDead || this.random() < this.mix.restarts) this.start();
            await this.lived(() => this.step());
        }
        this.isNoisy = false;
        await this.settle();
        await this.check();
        return this.counts;
    }

    // The app.

    start() {
        this.life?.die();
        this.database.restart();
        const life = this.life = { isDead: false };
        life.died = new Promise(resolve => {
            life.die = () => {
                life.isDead = true;
                resolve();
            };
        });
        const alive = (name, work) => async (...args) => {
            this.mayDie(life);
            const value = await work(...args);
            this.mayDie(life, name, args);
            return value;
        };
        const stored = Object.entries(this.disk.store({ isNative: this.isNative })).map(([name, work]) =>
            [name, name === 'uri' ? work : alive(name, work)]);
        const { values } = this;
        this.adapter = createSync({
            url: 'https://sync.example', project: 'p-1', token: 't', retry: { attempts: 3 }, wait: async () => {},
            now: () => this.now, random: this.random, fileCacheBytes: this.cacheBytes,
            fileStore: Object.fromEntries(stored), keep: this.keep,
            storage: {
                get: alive('get', key => values.get(key) ?? null),
                set: alive('set', (key, value) => void values.set(key, value)),
                remove: alive('forget', key => void values.delete(key)),
            },
            fetch: (address, options) => this.fetch(life, address, options),
        });
        this.files = this.adapter.files;
        this.synchronize = ({ pullChanges, pushChanges, ...rest }) => synchronize({
            ...rest, pullChanges: alive('pull', pullChanges), pushChanges: alive('push', pushChanges),
        });
        this.counts.swept += this.unnamed.length;
    }

    get entries() {
        const entries = [...this.values].filter(([key]) => key.startsWith('tidemark:p-1:file:'));
        return entries.map(([, text]) => JSON.parse(text));
    }

    /** Bytes that no entry names. */
    get unnamed() {
        const named = this.entries.map(({ file }) => file);
        return [...this.disk.files.keys()].filter(name => !named.includes(name));
    }

    /** A kill in the middle of writing leaves a part of it. */
    mayDie(life, name, args) {
        if (!life.isDead && this.happens('kills')) {
            if (['append', 'copyIn'].includes(name)) {
                const file = name === 'append' ? args[0] : args[1];
                this.disk.files.set(file, this.disk.files.get(file).subarray(0, this.below(1000)));
            }
            life.die();
        }
        if (life.isDead) throw new Killed('The app is dead.');
    }

    /** Runs a work of the app until it ends, or until the app dies. */
    async lived(work) {
        const { life } = this;
        const done = (async () => work())().catch(error => {
            if (!life.isDead && !(this.isNoisy && error instanceof TidemarkError)) throw error;
        });
        await Promise.race([done, life.died]);
    }

    // The user.

    async step() {
        this.now += this.below(600_000);
        if (this.server.files.size && this.happens('restores')) this.restore();
        const work = this.below(10);
        if (work < 4) await Promise.all([this.add(), this.below(2) ? this.sync() : null]);
        else if (work < 8) await this.sync();
        else if (this.added.size && this.happens('removes')) await this.remove();
        else if (this.added.size) await this.open();
        for (let turns = this.below(40); turns > 0; turns--) await new Promise(resolve => setImmediate(resolve));
    }

    /** The server loses a file, but not more often than a client sends it again for a row that it has never seen stored. */
    restore() {
        const digest = this.pick([...this.server.files.keys()]);
        const times = (this.lost.get(digest) ?? 0) + 1;
        if (times > 3) return;
        this.lost.set(digest, times);
        this.server.lose(digest);
    }

    async add() {
        const bytes = bytesOf(Math.max(4, this.pick(SIZES)), this.below(6)).slice(this.below(2) ? 0 : 4);
        const digest = sha256(bytes);
        this.disk.camera.set(`camera:${digest}`, bytes);
        const given = this.pick([bytes, bytes.buffer.slice(bytes.byteOffset), `camera:${digest}`, new Blob([bytes])]);
        const { life, values } = this;
        const known = this.added.get(digest);
        const answer = await this.files.add(given);
        // It was acknowledged to somebody who lives.
        if (life.isDead) return;
        this.counts.adds++;
        assert.deepEqual(answer, { digest, size: bytes.length });
        assert.ok(values.size > 0);
        this.added.set(digest, { bytes, isRemoved: false, hasRow: known?.hasRow ?? false });
        if (this.happens('ends')) return life.die();
        if (this.added.get(digest).hasRow || this.random() >= this.mix.rows) return;
        this.added.get(digest).hasRow = true;
        this.database.create('attachments', { id: `r-${digest}`, file: digest });
    }

    async sync() {
        await this.adapter.sync({ synchronize: this.synchronize, database: this.database });
    }

    async open() {
        const digest = this.pick([...this.added.keys()]);
        const { bytes } = this.added.get(digest);
        const opened = await this.files.open(digest);
        const read = new Uint8Array(await opened.arrayBuffer().catch(error => {
            // The cache may have dropped it meanwhile.
            if (this.cacheBytes === undefined || error.code !== undefined && error.code !== 'bytes_lost') throw error;
            return bytes;
        }));
        this.counts.opens++;
        assert.deepEqual(sha256(read), digest);
        assert.equal(opened.size, bytes.length);
    }

    async remove() {
        const digest = this.pick([...this.added.keys()]);
        const { life } = this;
        this.added.get(digest).isRemoved = true;
        await this.files.remove(digest);
        if (life.isDead) return;
        const shown = await this.files.state(digest);
        assert.ok(life.isDead || shown === null || shown.state === 'stored', `${digest} is removed, and not ${shown?.state}.`);
    }

    // The way to the server.

    async fetch(life, address, options) {
        this.mayDie(life);
        await null;
        if (options.signal?.aborted) throw new TypeError('aborted');
        if (this.happens('forgets')) this.server.forgetUploads();
        if (this.happens('requests')) throw new TypeError('The request is lost.');
        if (this.happens('busy')) return problem(503, 'busy', {}, { 'Retry-After': '1' });
        if (options.method === 'PUT' && this.happens('refusals')) return problem(403, 'quota_exceeded');
        const size = options.body?.byteLength ?? 0;
        if (size > 0 && this.happens('cuts')) {
            this.server.answer(options.method, address, options, this.below(size));
            throw new TypeError('The connection is cut.');
        }
        const answer = this.server.answer(options.method, address, options);
        this.mayDie(life);
        if (this.happens('answers')) throw new TypeError('The answer is lost.');
        if (answer.status === 206 && this.happens('garbled')) {
            const bytes = new Uint8Array(await answer.arrayBuffer());
            bytes[0] ^= 1;
            return new Response(bytes, { status: 206, headers: answer.headers });
        }
        return answer;
    }

    // What has to be in the end.

    async settle() {
        this.start();
        for (let round = 0; round < 4; round++) {
            await this.sync();
            for (const { digest, state } of await this.files.list()) if (state === 'failed') await this.files.retry(digest);
            await this.idle();
        }
        this.start();
        await this.sync();
        await this.idle();
    }

    async idle() {
        for (let turns = 0; turns < 3000; turns++) {
            await new Promise(resolve => setImmediate(resolve));
            if ((await this.files.list()).every(({ state }) => state === 'failed')) return;
        }
    }

    async check() {
        const { server, disk } = this;
        assert.deepEqual(await this.files.list(), [], 'Everything is sent.');
        for (const [digest, { bytes, isRemoved, hasRow }] of this.added) {
            if (isRemoved) continue;
            // What the server lost, and no row names, nobody asks for.
            if (!hasRow && this.lost.has(digest)) continue;
            assert.ok(server.files.has(digest), `${digest} of ${bytes.length} bytes is on the server.`);
            assert.deepEqual(sha256(server.files.get(digest)), digest);
            if (!hasRow) continue;
            assert.equal(server.rows.get(`r-${digest}`)?.state, 'stored');
            assert.equal(sha256(new Uint8Array(await (await this.files.open(digest)).arrayBuffer())), digest);
        }
        this.judgeWaste();
        // What is read ahead may be on its way.
        for (let turns = 0; this.unnamed.length && turns < 3000; turns++) await new Promise(resolve => setImmediate(resolve));
        assert.deepEqual(this.unnamed, [], 'Nothing is left over.');
        const { length } = JSON.parse(this.values.get('tidemark:p-1:files') ?? '[]');
        assert.equal(this.entries.length, length);
        await this.adapter.forget(() => this.database.reset());
        const left = [...this.values.keys()].filter(key => /:(files?|ahead)\b/.test(key));
        assert.deepEqual([left, [...disk.files.keys()]], [[], []], 'Nothing is left after forget().');
    }

    judgeWaste() {
        const isAsked = digest => this.added.get(digest)?.isRemoved;
        assert.deepEqual(this.server.needless.filter(digest => !isAsked(digest)), [], 'Nothing is sent twice to its end.');
    }
}
