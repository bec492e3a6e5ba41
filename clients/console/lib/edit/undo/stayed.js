/**
 * Goes to what an undo or redo has changed, as long as the user is where they were when they asked for it. Whoever has
 * gone on meanwhile is not called back: they may be typing.
 */
export class Stayed {
    /** `here()` returns where the user is, as a list of values to compare. */
    constructor(edits, here) {
        this._here = here;
        this._stop = edits.onTurn(isBack => {
            if (isBack) this._from = here();
        });
    }

    /** Calls `move` if the user has stayed. What was asked for at the same place follows from where it leads. */
    go(move) {
        if (!this._here().every((each, place) => isSame(each, this._from?.[place]))) return;
        move();
        this._from = this._here();
    }

    stop() {
        this._stop();
    }
}

/** A button that has gone with what it did, and had the focus, was left by nobody. */
const isSame = (now, before) => now === before || before?.isConnected === false;
