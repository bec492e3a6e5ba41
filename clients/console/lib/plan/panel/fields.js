import { element } from '../../elements.js';
import { Block } from '../../edit/block.js';
import { DateLine } from '../../edit/date-line.js';
import { Line } from '../../edit/line.js';
import { areSame } from '../../edit/edits.js';
import { PickedField } from './picked-field.js';
import { isMilestone, startOfTask } from '../model/bars.js';
import { dateOf } from '../model/days.js';
import { BEGAN, DURATION, ENDED, NAME, PERCENT, START } from '../model/plan-fields.js';

/** What the panel edits besides, if the schema has it. */
const PICKED = ['status', 'assignee', 'parent'];

/**
 * What a task's panel can edit. The dates of a parent are those of what is below it. `collection` is the schema's; null
 * as long as it is not known.
 */
export function fieldsOf({ task, children }, collection) {
    const [status, assignee, parent] = PICKED.map(name => collection?.field(name) ?? null);
    const dates = children.length > 0 ? [] : datesOf(task);
    return [NAME, status, assignee, ...dates, parent, collection?.field('notes')].filter(Boolean);
}

/** What has begun has the day of that in place of its planned start, and what is finished the day of that as well. */
function datesOf(task) {
    const { actual_start: began, actual_finish: ended } = task;
    const hasLength = !isMilestone(task) && !ended;
    return [began ? BEGAN : !ended && START, ended && ENDED, hasLength && DURATION, PERCENT];
}

/** What a field's input shows: a task without a planned start is shown where its bar begins. */
function shownOf({ name }, task) {
    if (name !== START.name) return task[name];
    return startOfTask(task) === null ? null : dateOf(startOfTask(task));
}

let numbers = 0;

/**
 * Labels with inputs, and with buttons for what is picked. `rows` is `{ names, rowsOf }`.
 * `onChange(values, before)` gets what was entered once it is whole, with what the task had when
 * the user began. Escape takes back what was typed. `show(node)` shows other values, but leaves the input that is being
 * edited as it is.
 */
export class Fields {
    constructor(fields, rows, onChange) {
        this._entries = fields.map(each => (PICKED.includes(each.name) ? new PickedField(each, rows, onChange)
            : new Entry(each, onChange)));
        this.element = element('div', { class: 'plan-fields' }, this._entries.map(each => each.element));
    }

    show(node) {
        for (const entry of this._entries) entry.show(node.task, node);
    }
}

class Entry {
    constructor(field, onChange) {
        Object.assign(this, { field, onChange, id: `plan-field-${++numbers}` });
        this._problem = element('p', { class: 'form-problem', id: `${this.id}-problem`, role: 'alert' });
        this._place = element('div');
        this.element = element('div', {
            class: field.kind === 'long text' ? 'field wide' : 'field', onkeydown: event => this._key(event),
            onchange: event => this._changed(event),
            onfocusout: () => this.show(this._task),
        }, element('label', { for: this.id, text: field.label }), this._place, this._problem);
    }

    show(task) {
        this._task = task;
        const isWrong = this._problem.textContent !== '' && this._control?.isChanged;
        if (!isWrong && !this._place.contains(document.activeElement)) this._settle();
    }

    /** Shows what the task has. An edit that begins now is asked against that. */
    _settle() {
        const { field, id, _task: task } = this;
        const shown = shownOf(field, task);
        this._before = task[field.name] ?? null;
        this._say('');
        if (this._control) return void (areSame(shown, this._control.value) || this._control.settle(shown));
        const Kind = { date: DateLine, 'long text': Block }[field.kind] ?? Line;
        const rows = Kind === Block ? { rows: 3 } : {};
        this._control = new Kind(field, shown, { id, 'aria-describedby': `${id}-problem`, ...rows });
        this._place.replaceChildren(this._control.element);
    }

    _changed(event) {
        if (event.target !== this._control.input) return;
        const { value, problem } = this._control.read();
        this._say(problem ?? '');
        if (problem || !this._control.isChanged) return;
        const before = this._before;
        this._before = value;
        this._control.settle(value);
        this.onChange({ [this.field.name]: value }, { [this.field.name]: before });
    }

    /** Escape leaves the value as it is now; if nothing was typed, it is the panel's. */
    _key(event) {
        const isEnter = event.key === 'Enter' && !this._control.isBlock;
        if (isEnter) this._control.input.dispatchEvent(new Event('change', { bubbles: true }));
        if (event.key !== 'Escape' || (!this._control.isChanged && !this._problem.textContent)) return;
        event.preventDefault();
        event.stopPropagation();
        this._control.settle(shownOf(this.field, this._task));
        this._settle();
    }

    _say(problem) {
        this._problem.textContent = problem;
        this._control?.input.setAttribute('aria-invalid', String(problem !== ''));
    }
}
