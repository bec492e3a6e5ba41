import { cardTable } from '../card-table.js';
import { chip, element, empty, fill, loading, problem } from '../elements.js';
import { change } from '../admin/change.js';
import { consequences, formDialog } from '../admin/form-dialog.js';
import { instant } from '../times.js';
import { Polled } from './polled.js';
import { bytesText, everyText } from './words.js';

const MOST = 500;
const VERDICTS = { sound: ['sound', 'good'], damaged: ['damaged', 'bad'] };

/** The backups, the newest first, and a way to make one. `show` is given how they are made. */
export const backups = (context, onCheck) => new Backups(context, onCheck);

class Backups {
    _lastCheck = null;

    /** `onCheck` is called when the check of a backup has begun. */
    constructor(context, onCheck) {
        Object.assign(this, { context, onCheck });
        this.element = element('div', { class: 'online' }, loading('Loading the backups …'));
        this._polled = new Polled({
            read: () => context.api('GET', '/admin/backups/'),
            show: answer => this._show(answer),
            fail: error => fill(this.element,
                problem(error, element('button', { text: 'Try again', onclick: () => this._polled.look() }))),
        });
    }

    /** Begins, and shows how backups are made as soon as `storage` has resolved to what says so. */
    async show(storage) {
        this._plan = await storage.then(({ backups: plan }) => plan, () => null);
        await this._polled.look();
    }

    /** Takes the end of a check as `GET /admin/checks/` tells it, which the list may not have yet. */
    checked(check) {
        this._lastCheck = check;
        return this._polled.look();
    }

    close() {
        this._polled.close();
    }

    _show({ results, state, last_error: error, next }) {
        const isRunning = state === 'running';
        const isMade = this._wasRunning && !isRunning && !error;
        this._wasRunning = isRunning;
        const hadFocus = this.element.contains(document.activeElement);
        const mayStart = this._plan?.folder !== null;
        const button = mayStart && element('button', {
            class: 'primary', text: isRunning ? 'Backing up …' : 'Back up now …', disabled: isRunning,
            onclick: () => this._start(),
        });
        fill(this.element,
            element('div', { class: 'job' }, element('p', { class: 'muted' }, planText(this._plan)), button),
            element('div', { role: 'status' },
                isRunning && running('A backup is being made. The server goes on meanwhile.'),
                isMade && element('p', { class: 'done', text: 'The backup is made.' })),
            error && problem({ detail: `The last backup failed: ${error}` }),
            results.length > 0
                ? table(results.map(each => withCheck(each, this._lastCheck)), file => this._check(file))
                : mayStart && empty('No backup yet', 'Make one now. Copy it to another machine: a disk can fail.'),
            (next || results.length >= MOST)
                && element('p', { class: 'muted', text: 'Older ones are in the folder on the server.' }));
        if (hadFocus && button && !button.disabled) button.focus();
    }

    async _start() {
        const done = await formDialog({
            title: 'Back up now?', action: 'Back up',
            work: () => change(this.context, 'POST', '/admin/backups/'),
        }, consequences('A copy of the whole database is written to the folder on the server, and checked.',
            this._plan?.kept && `The newest ${this._plan.kept} are kept: the oldest may go.`,
            'Everybody can go on working meanwhile.'));
        if (done === null) return;
        // It may be over before it is looked at.
        this._wasRunning = true;
        await this._polled.look();
    }

    async _check(file) {
        const path = `/admin/backups/${encodeURIComponent(file)}/check/`;
        const done = await formDialog({
            title: ['Check the backup ', element('bdi', { text: file }), '?'], action: 'Check',
            work: () => change(this.context, 'POST', path),
        }, consequences('The whole file is read once, which takes minutes if it is large.', 'Nothing is changed.'));
        if (done !== null) this.onCheck();
    }
}

/** Of a plan that could not be read, nothing is said. */
function planText(plan) {
    if (!plan) return '';
    const { every_seconds: every, folder, kept, hint } = plan;
    if (folder === null) return hint ?? 'This server has no folder for backups.';
    return [every === null ? 'Made only when somebody asks, ' : `Made ${everyText(every)}, `, 'in ',
        element('code', { text: folder }), kept === null ? '.' : `. The newest ${kept} are kept.`];
}

/** Says that something is under way; `what` is a text, or a list of texts and elements. */
export const running = what => element('div', { class: 'running' },
    element('span', { class: 'dot busy' }), element('span', {}, what));

/** A backup with the verdict of this check, if it is the later one. */
export const withCheck = (backup, check) =>
    (check?.verdict && check.backup === backup.file && (backup.verified_at ?? '') < check.finished_at
        ? { ...backup, verdict: check.verdict, verified_at: check.finished_at } : backup);

const table = (results, onCheck) => cardTable('Backups',
    ['Made', 'File', 'Size', 'Verified', element('span', { class: 'unseen', text: 'Check' })],
    results.map(each => row(each, onCheck)));

function row({ file, at, bytes, verified_at: verified, verdict }, onCheck) {
    return [
        element('td', {}, instant(at)),
        element('th', { scope: 'row' }, element('bdi', { class: 'mono', text: file })),
        element('td', { class: 'number', text: bytesText(bytes) }),
        element('td', {}, verdict ? chip(...VERDICTS[verdict] ?? [verdict])
            : chip('not since the server was started'), ' ', verified && instant(verified)),
        element('td', { class: 'number' }, element('button', {
            class: 'quiet', text: 'Check …', 'aria-label': `Check ${file}`, onclick: () => onCheck(file),
        })),
    ];
}
