import { element } from '../../elements.js';

/** The files of a task. What shows them comes with the first panel that is opened. */
export class LazyFiles {
    _section = null;
    _loading = null;

    /** `owner()` is that of `FileSection`, `area` takes what is dropped. */
    constructor(owner, area) {
        Object.assign(this, { owner, area });
        this.element = element('div', { class: 'plan-details-part', hidden: true });
    }

    show(task) {
        this._task = task;
        if (this._section) return this._paint();
        this._loading ??= import('../../files/section.js')
            .then(({ FileSection }) => this._begin(FileSection), () => this._fail());
        return undefined;
    }

    close() {
        this._task = null;
        this._section?.close();
    }

    stop() {
        this._isOver = true;
        this._section?.stop();
    }

    _begin(FileSection) {
        if (this._isOver) return;
        this._section = new FileSection(this.owner(), 'tasks', { area: this.area });
        this.element.replaceChildren(this._section.element);
        this._paint();
    }

    _paint() {
        if (this._task) this._section.show(this._task);
        this.element.hidden = false;
    }

    /** It is asked for again with the next task. */
    _fail() {
        this._loading = null;
        this.element.hidden = false;
        this.element.replaceChildren(element('p', {
            class: 'muted', text: 'The files can\'t be shown. Check the network, and open the task again.',
        }));
    }
}
