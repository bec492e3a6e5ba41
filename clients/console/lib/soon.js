/** Does something soon, and once for many calls: shows what has changed, when all of it has. */
export class Soon {
    _isDue = false;
    _isStopped = false;

    constructor(work) {
        this.work = work;
    }

    ask() {
        if (this._isDue || this._isStopped) return;
        this._isDue = true;
        setTimeout(() => {
            this._isDue = false;
            if (!this._isStopped) this.work();
        });
    }

    stop() {
        this._isStopped = true;
    }
}
