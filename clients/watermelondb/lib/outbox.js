import { LongTexts } from './long-texts.js';
import { parsed } from './storage.js';

/**
 * The batches whose rows WatermelonDB may still treat as unsent, each with its id and its whole body, in the order in
 * which they were sent. A batch is stored before it is sent, and is sent again unchanged until it is answered; the
 * server applies it once. It is removed when WatermelonDB has received the answer.
 */
export class Outbox {
    _bodies = null;
    /** Answers by batch id. They are only in memory: a batch that is sent again gets its answer again. */
    answers = new Map();

    constructor(storage, prefix) {
        Object.assign(this, { storage, texts: new LongTexts(storage) });
        this.indexKey = `${prefix}batches`;
        this.bodyKey = id => `${prefix}batch:${id}`;
    }

    async isEmpty() {
        return (await this._load()).size === 0;
    }

    /** The bodies, oldest first. */
    async bodies() {
        return [...(await this._load()).values()];
    }

    /** Stores a batch. The index is written first, so no stored body can be forgotten. */
    async add(body) {
        const bodies = await this._load();
        const id = body.client_batch_id;
        bodies.set(id, body);
        try {
            await this._saveIndex();
            await this.texts.set(this.bodyKey(id), JSON.stringify(body));
        } catch (error) {
            bodies.delete(id);
            await this.texts.remove(this.bodyKey(id)).catch(() => {});
            throw error;
        }
    }

    async remove(id) {
        const bodies = await this._load();
        await this.texts.remove(this.bodyKey(id));
        bodies.delete(id);
        this.answers.delete(id);
        await this._saveIndex();
    }

    async removeAnswered() {
        for (const id of [...this.answers.keys()]) await this.remove(id);
    }

    async clear() {
        for (const id of [...(await this._load()).keys()]) await this.remove(id);
    }

    async _load() {
        if (this._bodies) return this._bodies;
        const bodies = new Map();
        const index = parsed(await this.storage.get(this.indexKey)) ?? [];
        for (const id of index) {
            const body = parsed(await this.texts.get(this.bodyKey(id)));
            if (body) bodies.set(id, body);
        }
        if (this._bodies) return this._bodies;
        this._bodies = bodies;
        // Ids without a body: the app ended between writing the two, either before the batch was sent or after it was
        // done. Or the body can't be read: an earlier version stored it as one value. Then it counts as lost, and its
        // rows go under a new id.
        for (const id of index) if (!bodies.has(id)) await this.texts.remove(this.bodyKey(id));
        if (bodies.size < index.length) await this._saveIndex();
        return bodies;
    }

    async _saveIndex() {
        if (this._bodies.size) await this.storage.set(this.indexKey, JSON.stringify([...this._bodies.keys()]));
        else await this.storage.remove(this.indexKey);
    }
}
