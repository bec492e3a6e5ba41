/** Downloads under way. Who asks for a file meanwhile gets the same. */
export class Readings {
    _running = new Map();

    read(digest, project, work) {
        if (project === null) throw new TypeError('files.open needs the option project for a file that is not here.');
        const key = `${project} ${digest}`;
        if (!this._running.has(key)) {
            this._running.set(key, work().finally(() => this._running.delete(key)));
        }
        return this._running.get(key);
    }

    /** Resolves when those that run now have ended. */
    async done() {
        await Promise.all([...this._running.values()].map(running => running.catch(() => {})));
    }
}
