import { chip, element, fill, withoutTurns } from '../../elements.js';
import { PAGES } from '../../pages.js';
import { pathTo } from '../../routes.js';
import { instant } from '../../times.js';
import { dayOf } from '../model/days.js';
import { Fields, fieldsOf } from './fields.js';
import { LazyFiles } from './lazy-files.js';
import { LazyHistory } from './lazy-history.js';
import { LinkLists } from '../links/link-lists.js';
import { dateLong, datesText, percentText, spanText, workingDaysText } from '../texts.js';

const ROW_PAGE = PAGES.find(({ route }) => route === '/row/:collection/:id')?.route;

/** The panel of one task: what it says, what it waits for, and fields to edit. */
export class Details {
    _node = null;

    /**
     * `handlers`: `links`, `canEdit(node)`, `person(id)`, `collection()`, `rows()`, `history(id)`,
     * `onChange(node, values, before)`, `onGo(id)`, `onClose()`
     */
    constructor(plan, handlers) {
        Object.assign(this, { plan, handlers });
        this._head = element('div', { class: 'plan-details-part' });
        this._links = new LinkLists(plan, handlers);
        this._facts = element('div', { class: 'plan-details-part' });
        this._history = new LazyHistory(id => handlers.history(id));
        this._title = element('h2', { tabindex: -1, dir: 'auto' });
        this._body = element('div', { class: 'plan-details-body' });
        this.element = element('aside', {
            class: 'plan-details', 'aria-label': 'Task', hidden: true, onkeydown: event => this._press(event),
        }, element('div', { class: 'plan-details-head' }, this._title,
            element('button', {
                class: 'quiet round', 'aria-label': 'Close', text: '×', onclick: () => this.close(),
            })),
        this._body);
        this._files = new LazyFiles(() => handlers.rows(), this.element);
    }

    get isOpen() {
        return !this.element.hidden;
    }

    open(node) {
        this.element.hidden = false;
        this._key = null;
        this.show(node);
        // On a phone a field would bring up the keys, over what one wants to see.
        const first = matchMedia('(pointer: coarse)').matches ? null : this._body.querySelector('input, select');
        (first ?? this._title).focus();
    }

    close() {
        if (!this.isOpen) return;
        this.element.hidden = true;
        this._history.close();
        this._files.close();
        this.handlers.onClose();
    }

    stop() {
        this._history.close();
        this._files.stop();
    }

    /** Shows this task, or what has become of it. Fields stay the same elements, so the focus stays in them. */
    show(node) {
        if (!this.isOpen) return;
        if (!node) return void this.close();
        this._node = node;
        this._title.textContent = withoutTurns(node.task.name);
        this._showFields(node);
        fill(this._head, this._chips(node), this._span(node));
        this._links.show(node);
        this._files.show(node.task);
        this._history.show(node.task);
        if (this._facts.contains(document.activeElement)) return;
        fill(this._facts, this._factList(node), ROW_PAGE && this._rowLink(node));
    }

    _showFields(node) {
        const { canEdit, collection, rows, onChange } = this.handlers;
        const fields = canEdit(node) ? fieldsOf(node, collection()) : [];
        const key = `${node.task.id} ${fields.map(({ name }) => name)}`;
        if (key !== this._key) {
            this._fields = new Fields(fields, rows(), (...edit) => onChange(this._node, ...edit));
            fill(this._body, this._head, fields.length > 0 && this._fields.element, this._links.element,
                this._files.element, this._facts, this._history.element);
        }
        this._key = key;
        this._fields.show(node);
    }

    _chips({ task, bar }) {
        return element('div', { class: 'plan-chips' },
            chip(STATUSES[task.status] ?? task.status, task.status === 'COMPLETE' ? 'good' : 'accent'),
            bar.kind === 'milestone' && chip('Milestone'), bar.kind === 'summary' && chip('Summary'),
            bar.isOverdue && chip('Overdue', 'bad'), bar.isCritical && chip('Critical', 'bad'),
            task._status !== 'synced' && chip('Not sent yet', 'warning'));
    }

    _span({ bar }) {
        return element('p', { text: spanText(bar, this.plan.workingDays) });
    }

    _factList(node) {
        const { task, bar } = node;
        const { canEdit, collection, person } = this.handlers;
        const isEdited = name => canEdit(node) && Boolean(collection()?.field(name));
        const areDatesEdited = canEdit(node) && bar.kind !== 'summary';
        const facts = [
            ['Done', areDatesEdited ? null : percentText(bar.percent)],
            ['Assignee', isEdited('assignee') || (task.assignee ?? null) === null ? null : person(task.assignee)],
            ...scheduleFacts(node, this.plan.schedule?.of(task.id)),
            ...areDatesEdited ? [] : [['Began', date(task.actual_start)], ['Finished', date(task.actual_finish)]],
            ['Notes', isEdited('notes') ? null : task.notes], ['Edited', task.modified_at && instant(task.modified_at)],
        ];
        return element('dl', {}, facts.filter(([, value]) => value).map(([name, value]) => [
            element('dt', { text: name }), element('dd', {}, value),
        ]));
    }

    _rowLink({ task }) {
        const path = pathTo(ROW_PAGE, { collection: 'tasks', id: task.id });
        return element('a', { class: 'button', href: `#${path}`, text: 'All fields' });
    }

    _press(event) {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        this.close();
    }
}

export const STATUSES = {
    BACKLOG: 'Backlog', NOT_STARTED: 'Not started', IN_PROGRESS: 'In progress', REVIEW: 'In review', ON_HOLD: 'On hold',
    COMPLETE: 'Complete',
};

/** What the schedule says of a task. What a scheduler once wrote is shown where it says nothing, or the same. */
function scheduleFacts({ task, bar }, schedule) {
    const isSame = !schedule || dayOf(task.scheduled_start) === bar.start;
    const scheduled = ['Scheduled', isSame && date(task.scheduled_start)];
    if (!schedule) {
        return [
            scheduled, ['Early start', date(task.early_start)], ['Early finish', date(task.early_finish)],
            ['Late finish', date(task.late_finish)],
            ['Float', (task.total_float ?? null) === null ? null : workingDaysText(task.total_float)],
        ];
    }
    const { early, late, float, isFinished } = schedule;
    if (isFinished) return [];
    return [
        scheduled, ['Early', datesText(early)], ['Late', datesText(late)], ['Float', workingDaysText(float)],
    ];
}

const date = text => text && dateLong(dayOf(text));
