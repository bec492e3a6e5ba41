import { chip, element, fill, loading, problem } from '../elements.js';
import { change } from '../admin/change.js';
import { consequences, formDialog } from '../admin/form-dialog.js';
import { instant } from '../times.js';
import { running } from './backups.js';
import { Polled } from './polled.js';

/** The last check of the database, and a way to begin one. */
export const checks = context => new Checks(context);

class Checks {
    constructor(context) {
        this.context = context;
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

    close() {
        this._polled.close();
    }

    _show(answer) {
        const isRunning = answer.state === 'running';
        const hadFocus = this.element.contains(document.activeElement);
        const button = element('button', {
            class: 'primary', text: isRunning ? 'Checking …' : 'Check now …', disabled: isRunning,
            onclick: () => this._start(),
        });
        fill(this.element,
            element('div', { class: 'job' },
                element('p', { class: 'muted', text: 'Reads the whole database, and says whether its rows, numbers and '
                    + 'digests agree.' }), button),
            isRunning ? progress(answer) : element('div', { role: 'status' }, verdict(answer)),
            findings(answer));
        if (hadFocus && !button.disabled) button.focus();
    }

    async _start() {
        const done = await formDialog({
            title: 'Check the database now?', action: 'Check',
            work: () => change(this.context, 'POST', '/admin/checks/'),
        }, consequences('Everything is read once. With a large database this takes minutes, and the disk is busy.',
            'Nothing is changed, and everybody can go on working.'));
        if (done !== null) await this._polled.look();
    }
}

function progress({ done, total, started_at: started }) {
    const text = total ? `Step ${Math.min(done + 1, total)} of ${total}` : 'Beginning';
    const bar = { max: total || 1, value: total ? done : undefined, 'aria-labelledby': 'check-progress' };
    return [
        running('The database is being checked.'),
        element('div', { class: 'progress' }, element('span', { id: 'check-progress', text }),
            element('progress', bar),
            started && element('span', { class: 'muted' }, 'since ', instant(started))),
    ];
}

function verdict({ verdict: found, finished_at: finished }) {
    if (found === null || found === undefined) {
        return element('p', { class: 'muted', text: 'It was not checked since this server was started.' });
    }
    return element('p', {}, chip(found, found === 'sound' ? 'good' : 'bad'), ' ',
        found === 'sound' ? 'Nothing is wrong. ' : 'Something is wrong: keep the file as it is, and see '
            + 'docs/operations.md, “Damage”. ', finished && ['Checked ', instant(finished), '.']);
}

function findings({ findings: all = [] }) {
    if (all.length === 0) return null;
    return element('ul', { class: 'findings' }, all.map(({ code, detail, ...rest }) => element('li', {},
        element('code', { text: code }), ' ', element('bdi', { text: detail }),
        Object.entries(rest).map(([key, value]) => [' ', element('span', { class: 'muted' },
            `${key.replaceAll('_', ' ')} `,
            element('code', { text: typeof value === 'string' ? value : JSON.stringify(value) }))]))));
}
