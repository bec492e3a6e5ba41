import { ask } from '../dialog.js';
import { element, fill, loading, problem } from '../elements.js';
import { whenCatalog } from '../data/catalog.js';
import { ProjectRows } from '../data/project-rows.js';
import { whoIn } from '../data/who.js';
import { ROLES } from '../fields/catalog.js';
import { counted } from '../fields/names.js';
import { Names } from '../fields/row-name.js';
import { initials } from '../grid/cell.js';
import { notify } from '../notices.js';
import { worded } from '../online.js';
import { AddMember } from './add-member.js';
import { MemberCalls } from './calls.js';
import { OWNER, grantable, mayChange, mayRemove, ordered } from './rules.js';
import { ServerRows } from './server-rows.js';

/** The members of a project: who they are, and with which role. Reading works offline, changes need the network. */
export function open(context, { project }) {
    const box = element('div', { class: 'members-page' }, loading('Loading the members …'));
    let [members, isOver] = [null, false];
    const fail = error => fill(box, problem(worded(error)));
    const stop = whenCatalog(context, async catalog => {
        const isForeign = await isOutOfSight(context, project);
        if (isOver) return;
        members = new Members(context, catalog, project, isForeign && fail);
        fill(box, members.element);
        members.begin();
    }, fail);
    const close = () => {
        isOver = true;
        stop();
        members?.stop();
    };
    return { element: box, title: 'Members', close };
}

/** A superuser may change the members of a project without being one, and then has no copy of it. */
const isOutOfSight = async (context, project) =>
    await context.tidemark.row('projects', project) === null && await context.superuser() === true;

class Members {
    /** With `fail`, the rows come from the server, and `fail` is called with errors. */
    constructor(context, catalog, project, fail) {
        Object.assign(this, { context, catalog, project });
        const onChange = () => this._show();
        this.rows = fail
            ? new ServerRows({ context, project, memberships: catalog.memberships.name, onChange, fail })
            : new ProjectRows(context.tidemark, project, onChange);
        this.names = new Names(catalog, this.rows.rowsOf);
        this._calls = new MemberCalls(context.tidemark, catalog.memberships.name, project);
        this._add = new AddMember({ calls: this._calls, onAdd: (user, role) => this._added(user, role) });
        this._count = element('span', { class: 'muted' });
        this._list = element('ul', { class: 'list members' });
        this._offline = element('p',
            { class: 'muted', hidden: true, text: 'Offline: members can be changed with a network only.' });
        this.element = element('div', {}, element('h1', {}, 'Members ', this._count),
            fail && element('p', { class: 'muted foreign', text: 'You are no member of this project, so this browser '
                + 'has no copy of it. As a superuser you may change its members.' }), this._offline,
            this._add.element, this._list);
    }

    begin() {
        this.rows.follow([this.catalog.memberships.name, 'projects']);
        this._stops = [this.context.onState(() => this._show()), this.context.onSuperuser(() => this._show())];
    }

    stop() {
        this.rows.stop();
        this._stops.forEach(stop => stop());
    }

    _show() {
        const { catalog: { memberships }, rows, names, context: { state } } = this;
        const known = rows.rowsOf(memberships.name);
        if (!known || !rows.rowsOf('projects')) return;
        const isOffline = state.isOnline === false;
        const { role: own, user } = whoIn(this.context, this.catalog, rows.rowsOf, this.project);
        const role = this.context.isSuperuser ? OWNER : own;
        const shown = JSON.stringify([[...known.values()], isOffline, role]);
        if (shown === this._shown) return;
        this._shown = shown;
        this._offline.hidden = !isOffline;
        this._count.textContent = counted(known.size, 'members');
        const roles = isOffline ? [] : grantable(role);
        this._add.show({ roles, members: new Set([...known.values()].map(row => row.user)) });
        this._keepingFocus(() => fill(this._list, ordered(known.values(), id => names.user(id))
            .map(({ row, name }) => this._member(row, name,
                { roles, mine: role, isOneself: row.user === user, isOffline }))));
    }

    _member(row, name, { roles, mine, isOneself, isOffline }) {
        const mayEdit = !isOffline && mayChange(mine, row.role);
        const role = mayEdit ? this._select(row, name, roles)
            : element('span', { class: 'muted', text: ROLES.get(row.role) ?? row.role });
        const remove = !isOffline && mayRemove(mine, row.role, isOneself) && element('button', {
            type: 'button', class: 'quiet', 'data-key': `remove ${row.id}`, text: isOneself ? 'Leave …' : 'Remove …',
            'aria-label': isOneself ? 'Leave the project' : `Remove ${name}`,
            onclick: () => this._remove(row, name, isOneself),
        });
        return element('li', {}, initials(name), element('bdi', { class: 'name', text: name }),
            isOneself && element('span', { class: 'chip', text: 'you' }),
            element('span', { class: 'member-tools' }, role, remove));
    }

    _select(row, name, roles) {
        return element('select', {
            'aria-label': `Role of ${name}`, 'data-key': `role ${row.id}`,
            onchange: ({ target }) => this._setRole(row, name, Number(target.value), target),
        }, roles.map(role => element('option', { value: role, text: ROLES.get(role), selected: role === row.role })));
    }

    async _added(user, role) {
        const { id } = await this._calls.add(user.id, role);
        notify(`“${user.display_name || user.username}” is added as ${ROLES.get(role)}.`);
        await this.rows.look(this.catalog.memberships.name, id);
    }

    async _setRole(row, name, role, select) {
        select.disabled = true;
        const isDone = await this._trying(row, () => this._calls.setRole(row, role));
        if (isDone) notify(`“${name}” is ${ROLES.get(role)} now.`);
        else select.value = row.role;
        select.disabled = false;
    }

    async _remove(row, name, isOneself) {
        const isSure = await ask({
            title: isOneself ? 'Leave the project?' : `Remove “${name}”?`, action: isOneself ? 'Leave' : 'Remove',
            text: isOneself ? 'The project goes from your devices. Only an admin can add you again.'
                : 'The project goes from their devices, and they are taken out of tasks and risks.',
        });
        if (isSure) await this._trying(row, () => this._calls.remove(row));
    }

    /** Does it, and lets the copy hear of it, so the next change knows the version. Returns whether it was done. */
    async _trying(row, work) {
        const { context: { tidemark }, rows, catalog: { memberships } } = this;
        const failure = await work().then(() => null, error => error);
        if (failure) {
            notify(failure.code === 'stale_version' ? 'Somebody else has changed this member meanwhile. Look again.'
                : failure.detail ?? String(failure), 'bad');
        }
        await tidemark.sync().catch(() => {});
        await rows.look(memberships.name, row.id);
        return failure === null;
    }

    /** The list is made again; whoever was at a control of it stays there. */
    _keepingFocus(work) {
        const key = this._list.contains(document.activeElement) ? document.activeElement.dataset.key : null;
        work();
        if (key) this._list.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
    }
}
