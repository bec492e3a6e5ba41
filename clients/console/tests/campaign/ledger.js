// Every edit of the campaign, with what became of it where it was made.

export class Ledger {
    edits = [];
    /** By row: the ids that it refers to. */
    _references = new Map();
    _deleted = new Set();
    _moved = new Set();

    /** An edit begins: it may be stored or not. Returns it, with its number. */
    begin(by, edit, references = []) {
        const noted = { ...edit, number: this.edits.length, by, outcome: null };
        this.edits.push(noted);
        if (edit.do === 'delete') this._deleted.add(edit.id);
        for (const { id } of edit.rows ?? [edit]) this._refer(id, references);
        if (edit.do === 'move') this._moved.add(edit.id);
        return noted;
    }

    /** An undo or redo is going to write this: each write may be stored or not. */
    intended(turn, writes) {
        turn.writes = writes.map(({ references, ...write }) =>
            this.begin(turn.by, { do: 'save', values: {}, ...write, isTurn: true }, references));
    }

    /** What it has written, by `isWritten`. */
    turned(turn, isWritten) {
        for (const write of turn.writes) this.answered(write.number, isWritten(write) ? 'stored' : 'left');
    }

    /** Somebody else moves a row below another one, or tries to. */
    moved(id, parent) {
        this._moved.add(id);
        this._refer(id, [parent]);
    }

    /** A row refers to these, or did. */
    _refer(id, references) {
        const known = this._references.get(id) ?? [];
        this._references.set(id, [...known, ...references.filter(each => each !== null && !known.includes(each))]);
    }

    /** Whether somebody has moved the row. */
    isMoved(id) {
        return this._moved.has(id);
    }

    /** What the copy has answered. Only `stored` promises something. */
    answered(number, outcome) {
        this.edits[number].outcome = outcome;
    }

    /** Whether somebody has deleted the row, or one that it goes with. Moves may have made rings of references. */
    isDeletionOf(id, seen = new Set()) {
        if (seen.has(id)) return false;
        seen.add(id);
        return this._deleted.has(id) || (this._references.get(id) ?? []).some(each => this.isDeletionOf(each, seen));
    }

    count(condition) {
        return this.edits.filter(condition).length;
    }

    /** Of each field that somebody has written: `{ by, collection, id, field, edits }`. */
    chains() {
        const chains = new Map();
        for (const edit of this.edits.filter(({ do: act }) => act !== 'delete')) {
            const { by, collection, id } = edit;
            for (const [field, value] of Object.entries(edit.values)) {
                const key = [by, collection, id, field].join(' ');
                if (!chains.has(key)) chains.set(key, { by, collection, id, field, edits: [] });
                chains.get(key).edits.push({ ...edit, value });
            }
        }
        return [...chains.values()];
    }

    /** New rows that a redo has made under an id that an undo had deleted. */
    get revived() {
        const turns = this.edits.filter(({ isTurn }) => isTurn);
        return turns.filter(({ do: act, id, number }) => act === 'insert'
            && turns.some(each => each.do === 'delete' && each.id === id && each.number < number));
    }

    get deletions() {
        return this.edits.filter(({ do: act }) => act === 'delete');
    }
}

/** The values of which the last one that was stored must be: edits that were cut off may be stored as well. */
export function candidates(edits) {
    const last = edits.findLastIndex(({ outcome }) => outcome === 'stored');
    if (last < 0) return null;
    const later = edits.slice(last + 1).filter(({ outcome }) => outcome === null);
    return [edits[last], ...later].map(({ value }) => value);
}
