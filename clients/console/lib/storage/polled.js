import { worded } from '../online.js';

const PAUSE = 1000;

/** Something on the server that may be running: read once, and every second as long as it is. */
export class Polled {
    /** `read` asks the server, `show` is given the answer, and `fail` an error in words. */
    constructor({ read, show, fail, wait = (work, pause) => setTimeout(work, pause) }) {
        Object.assign(this, { read, show, fail, wait });
    }

    /** Reads now. Resolves when that is shown. */
    async look() {
        clearTimeout(this._timer);
        const round = this._round = {};
        let state = null;
        try {
            const answer = await this.read();
            if (round !== this._round) return;
            ({ state } = answer);
            this.show(answer);
        } catch (error) {
            if (round === this._round) this.fail(worded(error));
        }
        if (round === this._round && state === 'running') this._timer = this.wait(() => this.look(), PAUSE);
    }

    close() {
        clearTimeout(this._timer);
        this._round = null;
    }
}
