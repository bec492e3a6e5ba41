/** A `fetch` that loses requests and answers, as the seed says, while `isNoisy`. */
export class Network {
    isNoisy = true;
    lost = 0;
    /** What was sent against the rule. The client takes whatever `fetch` throws for a lost connection. */
    wrong = [];
    /** By browser: the last upload, and whether its answer has arrived. */
    _uploads = new Map();

    constructor(random) {
        this.random = random;
    }

    /** What the tabs of a browser send through. An upload without an answer must be repeated before any other. */
    of(browser) {
        return async (address, init) => {
            const isUpload = init.method === 'POST' && address.includes('/sync/');
            if (isUpload) this._check(browser, init.body);
            const answer = await this.fetch(address, init);
            if (isUpload) this._uploads.set(browser, { body: init.body, isAnswered: true });
            return answer;
        };
    }

    _check(browser, body) {
        const last = this._uploads.get(browser);
        if (last && !last.isAnswered && body !== last.body) this.wrong.push({ instead: body, of: last.body });
        this._uploads.set(browser, { body, isAnswered: false });
    }

    fetch = async (address, init) => {
        this._lose(0.06);
        const response = await fetch(address, init);
        const text = await response.text();
        this._lose(0.1);
        if (this.isNoisy && this.random() < 0.03) return cut(response, text);
        return { status: response.status, headers: response.headers, text: async () => text };
    };

    _lose(probability) {
        if (!this.isNoisy || this.random() >= probability) return;
        this.lost++;
        throw new TypeError('It was lost.');
    }
}

const cut = ({ status, headers }, text) =>
    ({ status, headers, text: async () => text.slice(0, Math.floor(text.length / 2)) });
