import { TidemarkError } from '../common/error.js';
import { FileSender } from '../common/files/sender.js';
import { filesToSendAgain } from './sent-again.js';
import { bytesOfEntry, noteFile, trimCache, unsentEntries } from './stored.js';

/** What sends the files of a copy, a `CopyFiles`, in one session of it. */
export function senderOf({ replica, cacheBytes, onChanged }, { life, transport, signal, isPersistent }) {
    const queue = new SendQueue({ replica, life, cacheBytes, onChanged: digest => onChanged(digest, false) });
    return new FileSender({ queue, transport, signal, isPersistent });
}

/** The files of a copy as a `FileSender` needs them, in one life of the copy. `onChanged` is told of a digest. */
class SendQueue {
    /** That of the copy when it was last looked for files that the server has lost; null before that. */
    _epoch = null;

    constructor({ replica, life, cacheBytes, onChanged }) {
        Object.assign(this, { replica, life, cacheBytes, onChanged });
    }

    async unsent() {
        await this._lookForLost();
        return this.replica.readFiles(unsentEntries);
    }

    /** Looks at the start, and whenever all rows have come anew, as after a restore. */
    async _lookForLost() {
        const { epoch, since } = await this.replica.state();
        if (since === 0 || epoch === this._epoch) return;
        for (const digest of await filesToSendAgain(this.replica, this.life)) this.onChanged(digest);
        this._epoch = epoch;
    }

    async reader(entry) {
        const bytes = await this.replica.readFiles(unit => bytesOfEntry(unit, entry));
        return (offset, end) => readable(bytes, offset, end);
    }

    /** With `stored` the bytes are part of the cache. */
    async note(entry, changes) {
        const after = await this.replica.writeFiles(async unit => {
            const noted = await noteFile(unit, entry, changes, this.life);
            if (noted?.state === 'stored') await trimCache(unit, this.cacheBytes);
            return noted;
        }, 'relaxed');
        if (after) this.onChanged(entry.digest);
        return after;
    }

    /** The project was made here, and has not been sent. */
    async isComing({ project }) {
        return this.replica.readFiles(async unit => (await unit.rows.get('projects', project))?._status === 'created');
    }
}

/** A browser may have lost what it keeps on its disk. `fetch` would say that there is no network. */
async function readable(bytes, offset, end) {
    try {
        return await bytes.slice(offset, end).arrayBuffer();
    } catch (cause) {
        throw new TidemarkError('bytes_lost', 'The browser has lost the bytes of this file. Add it again.', { cause });
    }
}
