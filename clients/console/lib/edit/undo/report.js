/**
 * What was taken back of a step, or made again:
 * - `rows`: what was done, `{ collection, id, fields, isGone }`; `isGone` is a new row that was deleted again,
 * - `left`: what was not, `{ collection, id, fields, row, why, detail }`. `why` is `changed`: somebody has written
 *   another value; `gone`: the row is not there; `refused`: the server did not take the edit, so there is nothing to
 *   take back; `used`: rows refer to it; `hidden`: so do rows that the user can't see; `deleted`: the row's deletion
 *   has happened; `failed`: see `detail`.
 */
export class Report {
    rows = [];
    left = [];

    constructor({ name }, isRedo) {
        Object.assign(this, { name, isRedo });
    }

    /** Of a deletion that did not happen. */
    static ofKept({ name, rows }) {
        const report = new Report({ name }, false);
        report.rows = rows.map(({ collection, id, row }) => ({ collection, id, fields: [], row, isGone: false }));
        return report;
    }

    /** The first row of which a field has another value by now; undefined if none has. */
    get meanwhile() {
        return this.left.find(({ why }) => why === 'changed')?.row;
    }

    keep({ collection, id }, why, { fields = [], row = null, detail = '' } = {}) {
        this.left.push({ collection, id, fields, row, why, detail });
    }

    /** Notes what became of an edit. Returns the fields that were written; null if nothing was done. */
    note({ collection, id, insert, update }, { before, after, left, error }) {
        const isDeletion = !insert && !update;
        if (error) this.keep({ collection, id }, WHY[error.code] ?? 'failed', { row: before, detail: error.detail });
        else if (left.length > 0) this.keep({ collection, id }, 'changed', { fields: left, row: before });
        const fields = Object.keys(update ?? {}).filter(name => !left.includes(name));
        if (error || (!insert && (isDeletion ? left.length > 0 : fields.length === 0))) return null;
        this.rows.push({ collection, id, fields, row: after ?? before, isGone: isDeletion });
        return fields;
    }
}

const WHY = { deleted: 'gone', in_use: 'used' };
