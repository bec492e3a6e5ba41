/** A drag that nothing was heard of for so many milliseconds has ended somewhere else. */
const QUIET = 1000;

/** What is dropped on an element, or pasted while the focus is in it, as files. */
export class Drops {
    _end = new AbortController();

    /** `canTake()` says whether files are taken now. `onFiles(files)` gets them, `onOver(isOver)` tells of a drag. */
    constructor(area, { canTake, onFiles, onOver }) {
        Object.assign(this, { area, canTake, onFiles, onOver });
        const { signal } = this._end;
        for (const name of ['dragenter', 'dragover']) {
            addEventListener(name, event => this._over(event), { signal });
        }
        addEventListener('drop', event => this._drop(event), { signal });
        area.addEventListener('paste', event => this._paste(event), { signal });
    }

    stop() {
        clearTimeout(this._quiet);
        this._end.abort();
    }

    /** A browser opens a file that misses the element in place of the console, so those are refused. */
    _over(event) {
        if (!event.dataTransfer?.types.includes('Files')) return;
        event.preventDefault();
        const isHere = this.canTake() && this.area.contains(event.target);
        event.dataTransfer.dropEffect = isHere ? 'copy' : 'none';
        this.onOver(isHere);
        // A browser tells of a drag again and again, but not always of its end.
        clearTimeout(this._quiet);
        this._quiet = setTimeout(() => this.onOver(false), QUIET);
    }

    _drop(event) {
        if (!event.dataTransfer?.types.includes('Files')) return;
        event.preventDefault();
        this.onOver(false);
        const files = [...event.dataTransfer.files];
        if (files.length > 0 && this.canTake() && this.area.contains(event.target)) this.onFiles(files);
    }

    /** Text that is pasted into a field stays the field's. */
    _paste(event) {
        const { files, types } = event.clipboardData;
        const isText = event.target.matches?.('input, textarea') && types.includes('text/plain');
        if (files.length === 0 || isText || !this.canTake()) return;
        event.preventDefault();
        event.stopPropagation();
        this.onFiles([...files]);
    }
}
