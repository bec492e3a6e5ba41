/** Messages between the windows of one copy. */
export class Windows {
    /** `handlers` has a function for each kind of message. */
    constructor(channel, id, handlers) {
        Object.assign(this, { channel, id });
        channel.onmessage = ({ data }) => {
            if (data.to === undefined || data.to === id) handlers[data.kind]?.(data);
        };
    }

    post(kind, content = {}) {
        this.channel.postMessage({ kind, from: this.id, ...content });
    }

    /** What ends after that is told to nobody: others see it in what they hear next. */
    close() {
        this.post = () => {};
        this.channel.onmessage = null;
        this.channel.close();
    }
}

/** What other windows were asked for and have not answered. */
export class Asked {
    _open = new Map();
    _number = 0;

    /** Calls `send` with a number, and resolves when that is answered. */
    ask(send) {
        return new Promise((resolve, reject) => {
            const number = ++this._number;
            this._open.set(number, { resolve, reject, send });
            send(number);
        });
    }

    answer(number, value, error) {
        const asked = this._open.get(number);
        this._open.delete(number);
        if (error) asked?.reject(error);
        else asked?.resolve(value);
    }

    /** What is open. */
    get numbers() {
        return [...this._open.keys()];
    }

    /** Sends everything again that is open: whoever was to answer it may be gone. */
    repeat() {
        for (const [number, { send }] of this._open) send(number);
    }

    end(error) {
        for (const { reject } of this._open.values()) reject(error);
        this._open.clear();
    }
}
