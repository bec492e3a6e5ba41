import { chip, element, fill, loading, problem } from '../elements.js';
import { change } from '../admin/change.js';
import { consequences, formDialog } from '../admin/form-dialog.js';
import { instant } from '../times.js';
import { running } from './backups.js';
import { Polled } from './polled.js';
import { countText } from './words.js';

/** The last check of the database or of a backup, and a way to begin one. `onDone` gets the answer when one has ended. */
export const checks = (context, onDone) => new Checks(context, onDone);

class Checks {
    constructor(context, onDone) {
        Object.assign(this, { context, onDone });
        this.element = element('div', { class: 'online' }, loading('Loading the last check …'));
        this._polled = new Polled({
            read: () => context.api('GET', '/admin/checks/'), show: answer => this._show(answer),
            fail: error => fill(this.element,
                problem(error, element('button', { text: 'Try again', onclick: () => this._polled.look() }))),
        });
    }

    show() {
        return this._polled.look();
    }

    /** A check has begun. It may be over before it is looked at. */
    begun() {
        this._wasRunning = true;
        return this._polled.look();
    }

    close() {
        this._polled.close();
    }

    _show(answer) {
        const isRunning = answer.state === 'running';
        if (this._wasRunning && !isRunning) this.onDone(answer);
        this._wasRunning = isRunning;
        const hadFocus = this.element.contains(document.activeElement);
        const button = element('button', {
            class: 'primary', text: isRunning ? 'Checking …' : 'Check now …', disabled: isRunning,
            onclick: () => this._start(),
        });
        fill(this.element,
            element('div', { class: 'job' },
                element('p', { class: 'muted', text: 'Reads the whole database, and says whether its rows, numbers and '
                    + 'digests agree.' }), button),
            isRunning ? progress(answer) : element('div', { role: 'status' }, outcome(answer)),
            findings(answer));
        if (hadFocus && !button.disabled) button.focus();
    }

    async _start() {
        const done = await formDialog({
            title: 'Check the database now?', action: 'Check',
            work: () => change(this.context, 'POST', '/admin/checks/'),
        }, consequences('Everything is read once. With a large database this takes minutes, and half of the '
            + 'processors.', 'Nothing is changed, and everybody can go on working.'));
        if (done !== null) await this.begun();
    }
}

function progress({ done, total, started_at: started, backup }) {
    const text = total ? `${Math.min(done, total)} of ${total} parts` : 'Beginning';
    const bar = { max: total || 1, value: total ? done : undefined, 'aria-labelledby': 'check-progress' };
    return [
        running([whatOf(backup), ' is being checked.']),
        element('div', { class: 'progress' }, element('span', { class: 'number', id: 'check-progress', text }),
            element('progress', bar),
            started && element('span', { class: 'muted' }, 'since ', instant(started))),
    ];
}

const whatOf = backup => (backup ? ['The backup ', element('bdi', { class: 'mono', text: backup })] : 'The database');

/** How the last check ended, above what it found. */
function outcome({ verdict, finished_at: finished, last_error: error, backup, rows, notes = [] }) {
    if (error) return problem({ detail: `The last check could not be done: ${error}` });
    if (!verdict) {
        return element('p', { class: 'muted', text: 'Nothing was checked since this server was started.' });
    }
    return [
        element('p', {}, chip(verdict, verdict === 'sound' ? 'good' : 'bad'), ' ', whatOf(backup),
            verdict === 'sound' ? ' is sound: nothing is wrong' : ' is damaged',
            rows ? ` in ${countText(rows)} rows. ` : '. ', finished && ['Checked ', instant(finished), '.']),
        notes.map(note => element('p', { class: 'muted', text: note })),
    ];
}

function findings({ findings: all = [], more = 0 }) {
    if (all.length === 0) return null;
    return [
        element('ul', { class: 'findings' }, all.map(finding)),
        more > 0 && element('p', { class: 'muted', text: `And ${countText(more)} more of these kinds.` }),
    ];
}

function finding({ code, place, project_id: project, subject, detail, remedy }) {
    const parts = [place, project && `project ${project}`, subject].filter(Boolean);
    return element('li', {},
        element('p', {}, element('code', { text: code }), ' ', element('bdi', { text: detail })),
        element('p', { class: 'muted small' },
            parts.map((part, number) => [number > 0 && ' · ', element('bdi', { text: part })])),
        remedy && element('p', { class: 'small', text: remedy }));
}
