import { element, fill } from '../elements.js';
import { problemOf } from '../fields/check.js';
import { folded } from '../query/filter.js';
import { found } from './options.js';

let numbers = 0;

/** A list as it is. */
const LIST = { toList: value => [...value ?? []], fromList: list => list };

/** A list of so many options keeps its order. */
const SHORT = 12;

/**
 * A control to choose from options, with a search: https://www.w3.org/WAI/ARIA/apg/patterns/combobox/. With `isMany` it
 * is for a list of values, and Enter adds one or takes it out; `form` says how the list is kept. `onPick` is told when
 * one value was chosen.
 */
export class Picker {
    isBlock = false;
    _place = 0;

    constructor(field, value, options, { isMany = false, form = LIST, start = null, onPick, ...attributes } = {}) {
        Object.assign(this, { field, before: value, isMany, form, onPick, _number: ++numbers });
        this._chosen = isMany ? form.toList(value) : value;
        this._options = this._complete(options);
        this._list = element('div', {
            class: 'options', role: 'listbox', id: `options-${this._number}`, 'aria-label': field.label,
            'aria-multiselectable': isMany && 'true', onpointerdown: event => event.preventDefault(),
            onclick: event => this._clicked(event),
        });
        this._count = element('p', { class: 'more muted', role: 'status' });
        this.input = element('input', {
            type: 'text', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': this._list.id,
            'aria-autocomplete': 'list', autocomplete: 'off', spellcheck: 'false', placeholder: 'Search …', dir: 'auto',
            value: start ?? '', oninput: () => this._show(true), onkeydown: event => this._key(event), ...attributes,
        });
        this.element = element('div', { class: 'picker' }, this.input, this._list, this._count);
        this._show(false);
    }

    get isChanged() {
        return JSON.stringify(this._chosen) !== JSON.stringify(this.isMany ? this.form.toList(this.before)
            : this.before);
    }

    read() {
        if (!this.isChanged) return { value: this.before };
        const value = this.isMany ? this.form.fromList(this._chosen) : this._chosen;
        const problem = problemOf(this.field, value);
        return problem ? { problem } : { value };
    }

    focus() {
        this.input.focus({ preventScroll: true });
        this._mark();
    }

    /**
     * What was chosen comes first where the list is long. Values that no option has stay choosable: the row may not be
     * here, or the member may have left.
     */
    _complete(options) {
        const known = new Set(options.map(({ value }) => value));
        const strange = [this._chosen ?? []].flat().filter(value => !known.has(value))
            .map(value => ({ value, label: String(value) }));
        const none = this.field.isNullable && !this.isMany ? [{ value: null, label: 'None', isNone: true }] : [];
        if (options.length <= SHORT) return [...none, ...strange, ...options];
        const isChosen = ({ value }) => this._has(value);
        return [...none, ...strange, ...options.filter(isChosen), ...options.filter(option => !isChosen(option))];
    }

    _show(isTyped) {
        const { shown, count } = found(this._options, this.input.value, folded);
        this._shown = shown;
        this._place = isTyped ? 0 : Math.max(0, shown.findIndex(each => this._has(each.value)));
        fill(this._list, shown.map((option, place) => this._option(option, place)));
        this._count.textContent = count > shown.length ? `${count - shown.length} more. Type to find them.`
            : count === 0 ? 'Nothing is called so.' : '';
        this._mark();
    }

    _option({ value, label, hint, isNone }, place) {
        return element('div', {
            class: `option ${isNone ? 'muted' : ''}`, role: 'option', id: `option-${this._number}-${place}`,
            'aria-selected': this._has(value) ? 'true' : 'false', 'data-place': place,
        }, element('span', { class: 'text', dir: 'auto', text: label }),
        hint && element('span', { class: 'muted', text: hint }));
    }

    _has(value) {
        return this.isMany ? this._chosen.includes(value) : this._chosen === value;
    }

    _mark() {
        for (const option of this._list.children) {
            const isHere = Number(option.dataset.place) === this._place;
            option.classList.toggle('here', isHere);
            if (isHere) option.scrollIntoView?.({ block: 'nearest' });
        }
        const id = this._shown[this._place] ? `option-${this._number}-${this._place}` : '';
        this.input.setAttribute('aria-activedescendant', id);
    }

    _key(event) {
        const last = this._shown.length - 1;
        const places = { ArrowDown: this._place + 1, ArrowUp: this._place - 1, PageDown: this._place + 8,
            PageUp: this._place - 8 };
        if (event.key in places) {
            this._place = Math.max(0, Math.min(last, places[event.key]));
            this._mark();
        } else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) this._pick(this._place);
        else return;
        event.preventDefault();
        event.stopPropagation();
    }

    _clicked({ target }) {
        const option = target.closest('[role="option"]');
        if (option) this._pick(Number(option.dataset.place));
    }

    _pick(place) {
        const option = this._shown[place];
        if (!option) return;
        this._place = place;
        if (!this.isMany) {
            this._chosen = option.value;
            return this.onPick?.();
        }
        const { value } = option;
        this._chosen = this._has(value) ? this._chosen.filter(each => each !== value) : [...this._chosen, value];
        this._list.children[place].setAttribute('aria-selected', String(this._has(value)));
    }
}
