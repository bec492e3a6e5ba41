/**
 * The longest value in characters. At three bytes each it is well below 2 MB, above which AsyncStorage on Android stores
 * a value and never reads it again.
 */
const LONGEST = 500_000;

/**
 * Texts of any length in the app's storage. A long one is cut into pieces, and its own key only says where these are:
 * `pieces:GENERATION:COUNT`. It is written last, so a text is there as a whole or not at all, wherever the app ends.
 */
export class LongTexts {
    constructor(storage) {
        this.storage = storage;
    }

    /** Null if there is none, or if it can't be read. Throws if nothing can be read. */
    async get(key) {
        const text = await this._read(key);
        const place = placeOf(text);
        if (!place) return text;
        const pieces = [];
        for (let number = 0; number < place.count; number++) {
            pieces.push(await this._read(pieceKey(key, place.generation, number)));
        }
        return pieces.includes(null) ? null : pieces.join('');
    }

    async set(key, text) {
        const former = placeOf(await this._read(key))?.generation ?? 0;
        const pieces = text.length > LONGEST ? cut(text) : [];
        for (const [number, piece] of pieces.entries()) await this.storage.set(pieceKey(key, former + 1, number), piece);
        await this.storage.set(key, pieces.length ? `pieces:${former + 1}:${pieces.length}` : text);
        await this._drop(key, former + 1, pieces.length);
        await this._dropAll(key, [former, former - 1]);
    }

    async remove(key) {
        const known = placeOf(await this._read(key))?.generation ?? 0;
        await this._dropAll(key, [known + 1, known, known - 1]);
        await this.storage.remove(key);
    }

    /** When the app ended, it may have been about to write the next generation, or to remove the former one. */
    async _dropAll(key, generations) {
        for (const generation of generations.filter(each => each > 0)) await this._drop(key, generation);
    }

    /** Removes pieces, the last one first: what the app's end leaves are the first ones, and they are found again. */
    async _drop(key, generation, from = 0) {
        let end = from;
        while (await this._read(pieceKey(key, generation, end)) !== null) end++;
        while (end > from) await this.storage.remove(pieceKey(key, generation, --end));
    }

    async _read(key) {
        try {
            return await this.storage.get(key) ?? null;
        } catch {
            // Whether it is this value, or the whole storage.
            await this.storage.get('tidemark:nothing');
            return null;
        }
    }
}

const pieceKey = (key, generation, number) => `${key}:${generation}:${number}`;

function placeOf(text) {
    const [, generation, count] = /^pieces:(\d+):(\d+)$/.exec(text ?? '') ?? [];
    return generation ? { generation: Number(generation), count: Number(count) } : null;
}

/** Not between the halves of a character: no storage keeps a half. */
function cut(text) {
    const pieces = [];
    for (let start = 0, end; start < text.length; start = end) {
        end = start + LONGEST;
        if (/[\uD800-\uDBFF]/.test(text[end - 1] ?? '')) end--;
        pieces.push(text.slice(start, end));
    }
    return pieces;
}
