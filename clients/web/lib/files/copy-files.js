import { TidemarkError, invalidAnswer } from '../common/error.js';
import { askedProject, askedToAdd, shownEntry, shownState } from '../common/files/asked.js';
import { Readings } from '../common/files/readings.js';
import { FileRequests } from '../common/files/requests.js';
import { sniffedType } from '../common/files/types.js';
import { CUT } from '../common/trouble.js';
import { Beside } from './beside.js';
import { bytesOf, digestOf } from './bytes.js';
import { Download } from './download.js';
import {
    addFile, cacheFile, findFile, removeFile, retryFile, trimCache, unsentEntries, useFile,
} from './stored.js';

/** The files of the copy, as the app sees them in this window: see `Files` in index.d.ts. */
export class CopyFiles {
    /** Downloads under way in one life of the copy, which is somebody's. */
    _readings = { life: null, running: new Readings() };
    /** Downloads that broke off, by life, project and digest; the oldest first. */
    _broken = new Map();
    /** Of the last session. */
    _beside = null;

    /**
     * `project` is that of the copy, or null. `keep` and `report` are those of `AheadList`; without `keep` nothing is read
     * ahead. `transportFor` makes a transport for a life of the copy. `onChanged` is told of a digest, and whether there
     * is something to send.
     */
    constructor({ replica, project, cacheBytes, keep, transportFor, signal, report, onChanged }) {
        Object.assign(this, { replica, project, cacheBytes, keep, transportFor, signal, report, onChanged });
    }

    /** What is done beside the syncs of a session. */
    beside(session) {
        this._beside = new Beside(this, session);
        return this._beside;
    }

    /** Some rows have changed: a `Change`. */
    changed(change) {
        this._beside?.changed(change);
    }

    /** Adds a file in a life of the copy. */
    async addIn(life, given, options = {}) {
        const asked = askedToAdd(options, this.project);
        const buffer = await bytesOf(given);
        const [digest, size] = [await digestOf(buffer), buffer.byteLength];
        const file = { ...asked, digest, size, type: sniffedType(buffer), bytes: new Blob([buffer]) };
        await this.replica.database.file();
        const isOurs = await this._withRoom(unit => unit.state.life === life && addFile(unit, file));
        if (!isOurs) throw new TidemarkError('session_ended', 'Somebody else has signed in meanwhile, or nobody is.');
        this.onChanged(digest, true);
        return { digest, size };
    }

    async open(digest, options = {}) {
        const project = this._project('open', options, digest);
        const found = await this._stored(digest, project);
        if (found) return found;
        const { life } = await this.replica.state();
        return this._readOnce({ digest, project }, life);
    }

    /**
     * Reads a file that nobody has asked for, in a life of the copy. Returns whether the copy has it then: nothing else
     * goes for it.
     */
    async readAhead({ digest, project }, life) {
        await this._readOnce({ digest, project }, life, true);
        const isHere = await this.state(digest, { project }) !== null;
        if (isHere) this.onChanged(digest, false);
        return isHere;
    }

    async state(digest, options = {}) {
        const project = this._project('state', options, digest);
        if (!await this.replica.database.hasFiles()) return null;
        const entry = await this.replica.readFiles(unit => findFile(unit, digest, project));
        return entry && shownState(entry);
    }

    async list() {
        if (!await this.replica.database.hasFiles()) return [];
        return (await this.replica.readFiles(unsentEntries)).map(shownEntry);
    }

    async retry(digest, options = {}) {
        const project = this._project('retry', options, digest);
        await this._known();
        await this.replica.writeFiles(unit => retryFile(unit, digest, project));
        this.onChanged(digest, true);
    }

    async remove(digest, options = {}) {
        const project = this._project('remove', options, digest);
        if (!await this.replica.database.hasFiles()) return;
        const entry = await this.replica.writeFiles(unit => removeFile(unit, digest, project));
        if (entry === null) return;
        this.onChanged(digest, false);
        // The server forgets it by itself, only later.
        const { life } = await this.replica.state();
        if (entry.upload) new FileRequests(this.transportFor(life), this.signal).end(entry).catch(() => {});
    }

    _project(method, options, digest) {
        return askedProject(method, options, { own: this.project, digest });
    }

    /** Null if the copy does not have the bytes. */
    async _stored(digest, project) {
        if (!await this.replica.database.hasFiles()) return null;
        const found = await this.replica.writeFiles(unit => useFile(unit, digest, project), 'relaxed');
        return found && typed(found.bytes, found.entry);
    }

    /** Whoever asks for it meanwhile gets the same, but for another user on the same copy. */
    _readOnce(file, life, isAhead = false) {
        if (this._readings.life !== life) this._readings = { life, running: new Readings() };
        return this._readings.running.read(file.digest, file.project, () => this._download(file, life, isAhead));
    }

    /** Reads a file from the server. What the copy can't keep is no reason to fail. */
    async _download({ digest, project }, life, isAhead) {
        const transport = this.transportFor(life);
        const requests = new FileRequests(transport, this.signal);
        const { bytes, type } = await this._goingOn(`${life} ${project} ${digest}`, download =>
            this._tried(transport, download, () => this._read(requests, { digest, project }, download)));
        const blob = new Blob([bytes]);
        const file = { digest, project, size: blob.size, type, bytes: blob };
        await this.replica.database.file();
        const keep = unit => unit.state.life === life && cacheFile(unit, file, this.cacheBytes, isAhead);
        const stored = isAhead ? this.replica.writeFiles(keep, 'relaxed') : this._withRoom(keep, 'relaxed');
        await stored.catch(error => {
            if (error.code !== 'storage_full') throw error;
        });
        return typed(blob, file);
    }

    /** Goes on with the download that broke off, if there is one. What breaks off again is kept. */
    async _goingOn(key, work) {
        const download = this._broken.get(key) ?? new Download();
        this._broken.delete(key);
        try {
            return await work(download);
        } catch (error) {
            if (download.size > 0) this._broken.set(key, download);
            if (this._broken.size > MOST_BROKEN) this._broken.delete(this._broken.keys().next().value);
            throw error;
        }
    }

    async _read(requests, file, download) {
        await requests.read(file, download);
        const bytes = await download.bytes();
        if (await digestOf(bytes) === file.digest) return { bytes, type: download.type };
        download.clear();
        throw invalidAnswer(CUT);
    }

    /** As long as more comes, it is tried again. */
    async _tried(transport, download, work) {
        for (let [attempt, most] = [1, 0]; ; attempt++) {
            try {
                return await work();
            } catch (error) {
                if (download.size > most) attempt = 1;
                most = Math.max(most, download.size);
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

/** So many downloads that broke off are kept, as long as the window is open. */
const MOST_BROKEN = 4;

/** Never what a row or an app says: HTML from a `blob:` address would run as the page. */
const typed = (blob, { type }) => new Blob([blob], { type });
