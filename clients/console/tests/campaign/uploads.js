/** Watches what the windows of one browser upload: one batch at a time, each unchanged until it has an answer. */
export class Uploads {
    count = 0;
    repeated = 0;
    troubles = [];
    _last = null;
    _open = new Set();

    begin(content, answer) {
        const upload = { body: `${content}`, isAnswered: false, others: new Set(this._open) };
        this.count += 1;
        this._compare(upload);
        this._last = upload;
        this._open.add(upload);
        // Whoever was killed does not count: its upload is closed without an answer that was read.
        answer.on('close', () => {
            this._open.delete(upload);
            upload.isDelivered = answer.writableFinished;
            this._judge(upload);
        });
        return {
            answered: status => {
                upload.isAnswered = ![401, 429].includes(status) && status < 500;
            },
        };
    }

    _compare({ body }) {
        if (this._last?.body === body) this.repeated += 1;
        else if (this._last?.isAnswered === false) {
            this.troubles.push(`An upload without an answer was not repeated: ${this._last.body}\nbut: ${body}`);
        }
    }

    /** Two that overlapped and were both answered came from two windows that live. */
    _judge(upload) {
        for (const other of upload.others) {
            if (upload.isDelivered && other.isDelivered && !other.isToldOf) {
                this.troubles.push(`Two uploads at once: ${other.body}\nand: ${upload.body}`);
                other.isToldOf = true;
            }
        }
    }
}
