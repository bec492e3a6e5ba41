import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSync } from '../index.js';
import { Clock } from './support/clock.js';
import { Database } from './support/standin.js';

// Random runs of an app that listens to a server that makes trouble. After each trouble the app must have everything,
// without the poll of every 15 minutes. SEED=… repeats a run; ROUNDS=… makes it longer.

const ROUNDS = Number(process.env.ROUNDS ?? 40);
const SEEDS = process.env.SEED
    ? [Number(process.env.SEED)] : [1, 2, 3, 4, Math.floor(Math.random() * 1e9)];
const ALL = 2 ** 52;
/** Numbers of one history. After a restore the server does not know the numbers of the histories before. */
const HISTORY = 100_000;

function generator(seed) {
    let state = BigInt(seed) + 1n;
    return () => {
        state = (state * 6364136223846793005n + 1442695040888963407n) % (1n << 64n);
        return Number(state >> 33n) / 2 ** 31;
    };
}

class Run {
    clock = new Clock();
    head = ALL + 10;
    streams = new Set();
    held = new Set();
    /** Of now: no answers, streams without events, broken disk. */
    trouble = { isDown: false, isHeldBack: false, isFull: false };
    stored = 0;
    database = new Database();
    counts = { calls: 0, atOnce: 0, most: 0, changes: 0, failed: 0, streams: 0, pulls: 0 };
    errors = new Set();
    isPaused = false;

    constructor(seed, events) {
        this.random = generator(seed);
        this.sync = createSync({
            url: 'https://sync.example', token: 't', retry: { attempts: 2 }, fetch: (...args) => this.fetch(...args),
            wait: this.clock.wait, now: this.clock.now, random: this.random,
        });
        this.handle = this.sync.listen({
            events, appState: null, onChange: () => this.onChange(),
            onError: ({ code = 'other' }) => this.errors.add(code),
        });
    }

    below(limit) {
        return Math.floor(this.random() * limit);
    }

    pause(most) {
        return this.clock.wait(this.below(most));
    }

    // The app.

    async onChange() {
        this.counts.most = Math.max(this.counts.most, ++this.counts.atOnce);
        this.counts.calls++;
        try {
            const isSilent = this.below(2) === 0;
            const { database } = this;
            await this.sync.sync({ synchronize: args => this.synchronize(args), database }).catch(error => {
                this.counts.failed++;
                if (!isSilent || !error.isTemporary) throw error;
            });
        } finally {
            this.counts.atOnce--;
        }
    }

    async synchronize({ pullChanges }) {
        const { timestamp } = await pullChanges({ lastPulledAt: this.stored, schemaVersion: 1, migration: null });
        await this.pause(3000);
        if (this.trouble.isFull) throw new Error('The disk is full.');
        this.stored = timestamp;
    }

    // The server.

    async fetch(address, { signal }) {
        const { pathname, searchParams } = new URL(address);
        await this.pause(400);
        if (this.trouble.isDown) throw new TypeError('gone');
        if (pathname.endsWith('/me/')) return Response.json({ id: 1 });
        if (pathname.endsWith('/events/')) return this.open(signal);
        this.counts.pulls++;
        const [since, wait] = ['since', 'wait'].map(name => Number(searchParams.get(name) ?? 0));
        if (since > 0 && Math.floor(since / HISTORY) !== Math.floor(this.head / HISTORY)) {
            return Response.json({ code: 'since_ahead', detail: '', status: 409 }, { status: 409 });
        }
        if (wait && since === this.head) await this.hold(wait, signal);
        const [rows, timestamp] = [since === this.head ? [] : [{ id: 'a' }], this.head];
        await this.pause(400);
        if (this.trouble.isDown) throw new TypeError('gone');
        const changes = { tasks: { created: [], updated: rows, deleted: [] } };
        return Response.json({ changes, timestamp, has_more: false, next_cursor: null });
    }

    hold(seconds, signal) {
        return new Promise((resolve, reject) => {
            const held = { wake: resolve, cut: () => reject(new TypeError('cut')) };
            this.held.add(held);
            signal.addEventListener('abort', held.cut);
            this.clock.wait(seconds * 1000).then(() => this.held.has(held) && resolve());
        });
    }

    open(signal) {
        if (this.below(8) === 0) return new Response('{}', { status: 503, headers: { 'Retry-After': '3' } });
        this.counts.streams++;
        const stream = { isSilent: this.trouble.isHeldBack };
        const body = new ReadableStream({ start: controller => { stream.controller = controller; } });
        stream.cut = () => {
            if (this.streams.delete(stream)) stream.controller.error(new TypeError('cut'));
        };
        this.streams.add(stream);
        signal.addEventListener('abort', stream.cut);
        this.send(stream, 'hello', { heartbeat_s: 25, expires_in: null, head: this.head });
        this.ping(stream);
        return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
    }

    async ping(stream) {
        await this.clock.wait(20_000 + this.below(5000));
        if (!this.streams.has(stream)) return;
        this.send(stream, 'ping', {});
        this.ping(stream);
    }

    /** In two pieces. What is not sent before a cut never comes. */
    async send(stream, type, data, id = '') {
        const text = `${id && `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
        const bytes = new TextEncoder().encode(text);
        const cut = this.below(bytes.length + 1);
        for (const part of [bytes.slice(0, cut), bytes.slice(cut)]) {
            // Events stay in order: one line of writes.
            const before = stream.written;
            stream.written = (async () => {
                await before;
                if (!stream.isSilent && this.streams.has(stream) && part.length) stream.controller.enqueue(part);
            })();
        }
        await stream.written;
    }

    async change() {
        this.counts.changes++;
        const number = ++this.head;
        await this.pause(200);
        for (const { wake } of this.held) wake();
        this.held.clear();
        const data = this.below(3) ? { 'p-1': 1 } : { 'p-1': 1, _spread_ms: 1 + this.below(4000) };
        for (const stream of this.streams) this.send(stream, 'poke', data, number);
    }

    cut() {
        for (const { cut } of [...this.streams, ...this.held]) cut();
        this.held.clear();
    }

    // The trouble.

    async step() {
        const { trouble } = this;
        for (const name of Object.keys(trouble)) trouble[name] &&= this.below(2) === 0;
        this.follow(this.isPaused && this.below(2) === 0);
        const acts = [
            ...Array(4).fill(() => void this.change()), () => this.cut(),
            () => { for (const stream of this.streams) stream.isSilent = true; },
            () => this.follow(!this.isPaused), () => this.handle.resume(),
        ];
        const rare = [
            () => { trouble.isDown = true; this.cut(); }, () => { trouble.isFull = true; },
            () => { trouble.isHeldBack = true; this.cut(); }, () => this.restore(), () => this.clock.advance(3600_000),
        ];
        const act = this.pick(this.below(4) ? acts : rare);
        await act();
        await this.clock.advance(this.below(this.below(4) ? 3000 : 70_000));
    }

    pick(list) {
        return list[this.below(list.length)];
    }

    follow(isPaused) {
        if (isPaused === this.isPaused) return;
        this.isPaused = isPaused;
        this.handle[isPaused ? 'pause' : 'resume']();
    }

    restore() {
        this.cut();
        this.head = (Math.floor(this.head / HISTORY) + 1) * HISTORY + 10;
    }

    /** Everything is well from now on. Less than the 15 minutes of the poll pass, so it can't have helped. */
    async quiet() {
        Object.assign(this.trouble, { isDown: false, isHeldBack: false, isFull: false });
        this.follow(false);
        await this.clock.advance(240_000);
        assert.equal(this.stored, this.head, JSON.stringify(this.counts));
    }
}

for (const events of [true, false]) {
    for (const seed of SEEDS) {
        test(`nothing is missed with ${events ? 'events' : 'held pulls'}, seed ${seed}`, async () => {
            const run = new Run(seed, events);
            for (let round = 0; round < ROUNDS; round++) {
                for (let steps = run.below(6); steps >= 0; steps--) await run.step();
                await run.quiet();
            }
            const { most, calls, pulls, streams } = run.counts;
            assert.equal(most, 1);
            assert.deepEqual([...run.errors].filter(code => !['other', 'events_held_back'].includes(code)), []);
            // No hot loop anywhere.
            const usual = (run.clock.time - 1_000_000) / 3000;
            assert.ok(calls < usual && pulls < usual && streams < usual, JSON.stringify(run.counts));
            run.handle.stop();
        });
    }
}
