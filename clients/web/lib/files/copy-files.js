import { TidemarkError, invalidAnswer } from '../common/error.js';
import { CUT } from '../common/trouble.js';
import { bytesOf, digestOf, sniffedType } from './bytes.js';
import { FileRequests } from './requests.js';
import {
    addFile, cacheFile, findFile, removeFile, retryFile, trimCache, unsentEntries, useFile,
} from './stored.js';

/** The files of the copy, as the app sees them in this window: see `Files` in index.d.ts. */
export class CopyFiles {
    /** Downloads under way, by project and digest. */
    _reading = new Map();

    /**
     * `project` is that of the copy, or null. `transportFor` makes a transport for a life of the copy. `onChanged` is
     * told of a digest, and whether there is something to send.
     */
    constructor({ replica, project, cacheBytes, transportFor, signal, onChanged }) {
        Object.assign(this, { replica, project, cacheBytes, transportFor, signal, onChanged });
    }

    /** Adds a file in a life of the copy. */
    async addIn(life, given, options = {}) {
        const { name = null, preview = null } = options;
        const project = this._project('add', options, { names: ['name', 'preview'] });
        if (project === null) throw new TypeError('files.add needs the option project in a copy of all projects.');
        for (const each of [name, preview]) {
            if (each !== null && typeof each !== 'string') throw new TypeError('name and preview of a file are texts.');
        }
        const buffer = await bytesOf(given);
        const [digest, size] = [await digestOf(buffer), buffer.byteLength];
        const type = sniffedType(buffer);
        const file = { digest, project, name, preview, size, type, bytes: new Blob([buffer]) };
        await this.replica.database.file();
        const isOurs = await this._withRoom(unit => unit.state.life === life && addFile(unit, file));
        if (!isOurs) throw new TidemarkError('session_ended', 'Somebody else has signed in meanwhile, or nobody is.');
        this.onChanged(digest, true);
        return { digest, size };
    }

    async open(digest, options = {}) {
        const project = this._project('open', options, { digest });
        const found = await this._stored(digest, project);
        if (found) return found;
        if (project === null) throw new TypeError('files.open needs the option project for a file that is not here.');
        const key = `${project} ${digest}`;
        if (!this._reading.has(key)) {
            this._reading.set(key, this._download(digest, project).finally(() => this._reading.delete(key)));
        }
        return this._reading.get(key);
    }

    async state(digest, options = {}) {
        const project = this._project('state', options, { digest });
        if (!await this.replica.database.hasFiles()) return null;
        const entry = await this.replica.readFiles(unit => findFile(unit, digest, project));
        return entry && shownState(entry);
    }

    async list() {
        if (!await this.replica.database.hasFiles()) return [];
        return (await this.replica.readFiles(unsentEntries)).map(entry => {
            const { digest, project, name, preview, type, detail } = entry;
            return { digest, project, name, preview, type, ...shownState(entry), detail };
        });
    }

    async retry(digest, options = {}) {
        const project = this._project('retry', options, { digest });
        await this._known();
        await this.replica.writeFiles(unit => retryFile(unit, digest, project));
        this.onChanged(digest, true);
    }

    async remove(digest, options = {}) {
        const project = this._project('remove', options, { digest });
        if (!await this.replica.database.hasFiles()) return;
        const entry = await this.replica.writeFiles(unit => removeFile(unit, digest, project));
        if (entry === null) return;
        this.onChanged(digest, false);
        // The server forgets it by itself, only later.
        const { life } = await this.replica.state();
        if (entry.upload) new FileRequests(this.transportFor(life), this.signal).end(entry).catch(() => {});
    }

    /** The project that is meant; null if it is not said. Throws if something is asked for that can't be. */
    _project(method, options, { names = [], digest = null }) {
        if (names.length === 0 && !DIGEST.test(digest)) {
            throw new TypeError(`files.${method} needs a digest, 64 digits of 0-9 and a-f.`);
        }
        const unknown = Object.keys(options).find(name => ![...names, 'project'].includes(name));
        if (unknown !== undefined) throw new TypeError(`files.${method} has no option ${unknown}.`);
        const { project = this.project } = options;
        if (project !== null && (typeof project !== 'string' || project === '')) {
            throw new TypeError(`The option project of files.${method} is no id.`);
        }
        if (this.project !== null && project !== this.project) {
            throw new TypeError(`This is a copy of the project ${this.project}, and has no files of ${project}.`);
        }
        return project;
    }

    /** Null if the copy does not have the bytes. */
    async _stored(digest, project) {
        if (!await this.replica.database.hasFiles()) return null;
        const found = await this.replica.writeFiles(unit => useFile(unit, digest, project), 'relaxed');
        return found && typed(found.bytes, found.entry);
    }

    /** Reads a file from the server. What the copy can't keep is no reason to fail. */
    async _download(digest, project) {
        const { life } = await this.replica.state();
        const transport = this.transportFor(life);
        const requests = new FileRequests(transport, this.signal);
        const { bytes, type } = await this._tried(transport, () => this._read(requests, digest, project));
        const blob = new Blob([bytes]);
        const file = { digest, project, size: blob.size, type, bytes: blob };
        await this.replica.database.file();
        const keep = unit => unit.state.life === life && cacheFile(unit, file, this.cacheBytes);
        await this._withRoom(keep, 'relaxed').catch(error => {
            if (error.code !== 'storage_full') throw error;
        });
        return typed(blob, file);
    }

    async _read(requests, digest, project) {
        const answer = await requests.read({ project, digest });
        if (await digestOf(answer.bytes) !== digest) throw invalidAnswer(CUT);
        return answer;
    }

    async _tried(transport, work) {
        for (let attempt = 1; ; attempt++) {
            try {
                return await work();
            } catch (error) {
                const delay = transport.delay(error, attempt);
                if (delay === null) throw error;
                await transport.wait(delay, this.signal);
            }
        }
    }

    /** What is to be kept goes before the cache. */
    async _withRoom(work, durability) {
        try {
            return await this.replica.writeFiles(work, durability);
        } catch (error) {
            if (error.code !== 'storage_full') throw error;
            await this.replica.writeFiles(unit => trimCache(unit, 0));
            return this.replica.writeFiles(work, durability);
        }
    }

    async _known() {
        if (!await this.replica.database.hasFiles()) throw new TidemarkError('unknown_file', 'This copy has no files.');
    }
}

const DIGEST = /^[0-9a-f]{64}$/;

/** As the app sees it. */
const shownState = ({ state, sent, size, reason }) => ({ state, sent, size, reason });

/** Never what a row or an app says: HTML from a `blob:` address would run as the page. */
const typed = (blob, { type }) => new Blob([blob], { type });
