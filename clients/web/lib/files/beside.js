import { Ahead } from '../common/files/ahead.js';
import { LONGEST_FLOOR } from '../common/files/sender.js';
import { fullJitter } from '../common/jitter.js';
import { AheadList } from './ahead-list.js';
import { senderOf } from './send-queue.js';

/** What is done for the files of a copy beside its syncs, in one session: they are sent, and read ahead. */
export class Beside {
    _list = null;

    /** `files` are the `CopyFiles`. With `isPersistent` what fails is tried again until it succeeds. */
    constructor(files, session) {
        const { replica, keep, cacheBytes, report } = files;
        const { life, transport, signal, isPersistent } = session;
        this._database = replica.database;
        this._sender = senderOf(files, session);
        if (!keep) return;
        const list = this._list = new AheadList({ replica, keep, cacheBytes, signal, report });
        const read = async file => {
            if (!await files.readAhead(file, life)) list.end();
        };
        const pause = (failures, { retryAfter }) => {
            const floor = Math.min(retryAfter ?? 0, LONGEST_FLOOR) * 1000;
            return transport.wait(Math.max(floor, fullJitter(failures, transport.random)), signal);
        };
        this._ahead = new Ahead({ list, read, pause: isPersistent ? pause : null });
    }

    /** Begins what is to be done. With `isNews` there is a file to send; with `isAll` the app may keep other rows. */
    async wake(isNews, isAll) {
        if (isAll) this._list?.lookAtAll();
        this._ahead?.wake();
        if (await this._database.hasFiles().catch(() => false)) this._sender.wake(isNews);
    }

    /** Some rows have changed: a `Change`. */
    changed(change) {
        this._list?.changed(change);
    }
}
