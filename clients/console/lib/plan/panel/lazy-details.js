import { element } from '../../elements.js';
import { notify } from '../../notices.js';

/** The panel of a task. Its files come once the plan is shown, or when somebody opens it before that. */
export class LazyDetails {
    _details = null;

    /** As Details has them. */
    constructor(plan, handlers) {
        Object.assign(this, { plan, handlers });
        this.element = element('aside', { class: 'plan-details', 'aria-label': 'Task', hidden: true });
    }

    get isOpen() {
        return this._details?.isOpen ?? false;
    }

    load() {
        this._loading ??= import('./details.js').then(({ Details }) => this._take(new Details(this.plan, this.handlers)),
            error => this._fail(error));
        return this._loading;
    }

    async open(node) {
        if (!this._details) await this.load();
        this._details?.open(node);
    }

    show(node) {
        this._details?.show(node);
    }

    close() {
        this._details?.close();
    }

    stop() {
        this._isOver = true;
        this._details?.stop();
    }

    _take(details) {
        if (this._isOver) return;
        this._details = details;
        this.element.replaceWith(details.element);
        this.element = details.element;
    }

    /** It is asked for again when somebody opens it. */
    _fail(error) {
        this._loading = null;
        notify(`The panel can't be shown: ${error.message}`, 'bad');
    }
}
