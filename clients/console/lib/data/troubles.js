/**
 * What the server did not take: refused rows, and copies set aside. Follows the state of the copy. The oldest copy
 * comes first.
 */
export class Troubles {
    refused = [];
    aside = [];
    _number = 0;

    constructor(context, onChange) {
        Object.assign(this, { context, onChange });
        this._stop = context.onState(state => this._look(state));
    }

    /** Of one row: `{ reasons, copies }`, both lists. */
    of(collection, id) {
        const isIts = each => each.collection === collection && each.id === id;
        return {
            reasons: this.refused.find(isIts)?.reasons ?? [],
            copies: this.aside.filter(isIts),
        };
    }

    stop() {
        this._stop();
        this._number = Infinity;
    }

    async _look({ refused, setAside }) {
        const number = ++this._number;
        const aside = setAside > 0 ? await this.context.tidemark.setAside().catch(() => this.aside) : [];
        if (number !== this._number) return;
        const isSame = JSON.stringify([refused, aside]) === JSON.stringify([this.refused, this.aside]);
        Object.assign(this, { refused, aside });
        if (!isSame) this.onChange();
    }
}
