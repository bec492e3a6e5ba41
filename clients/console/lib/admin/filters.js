import { element, fill } from '../elements.js';
import { visible } from '../fields/format.js';
import { listed, worded } from '../online.js';
import { named, searched } from '../people/search.js';

const PAUSE = 200;

/**
 * Which user, which project and, with `choices`, which action a list is about. The query of the address has the ids;
 * the fields have names. `onChange` gets the new query.
 */
export class Filters {
    /** Ids by what one types, and names by id. */
    _projects = new Map();
    _called = new Map();

    /** `choices` are pairs of a value and a text. */
    constructor(context, { route, query, choices = [], onChange }) {
        Object.assign(this, { context, route, onChange });
        this._query = Object.fromEntries(['user', 'project', 'action'].filter(key => query[key])
            .map(key => [key, query[key]]));
        this._users = element('datalist', { id: 'filter-users' });
        this._user = this._field('User', 'filter-users', { placeholder: 'Anybody', oninput: () => this._suggest() },
            text => this._userID(text));
        this._projectNames = element('datalist', { id: 'filter-projects' });
        this._project = this._field('Project', 'filter-projects', {
            placeholder: 'All projects', onfocus: () => this.readProjects(),
        }, text => this._projects.get(text) ?? text);
        this._problem = element('p', { class: 'form-problem', role: 'alert' });
        const clear = () => this._set({});
        this._clear = element('button', { type: 'button', class: 'quiet', text: 'Clear', onclick: clear });
        this.element = element('form', { class: 'inline-form filters', onsubmit: event => event.preventDefault() },
            this._user.label, this._project.label, choices.length > 0 && this._choice(choices), this._clear,
            this._users, this._projectNames, this._problem);
        this._show();
    }

    get query() {
        return { ...this._query };
    }

    close() {
        clearTimeout(this._timer);
    }

    /** Shows the names of what the address names by id. */
    async begin() {
        const { user, project } = this._query;
        if (user) {
            const path = `/admin/users/${encodeURIComponent(user)}/`;
            const account = await this.context.api('GET', path).catch(() => null);
            if (account && this._query.user === user) this._user.input.value = account.username;
        }
        if (project) await this.readProjects();
    }

    /** The name of a project, once `readProjects` is done; null if it is not known. */
    projectName(id) {
        return this._called.get(id) ?? null;
    }

    _field(text, list, options, idOf) {
        const change = async ({ target }) => this._take(text.toLowerCase(), target.value.trim(), idOf);
        const input = element('input', {
            list, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', dir: 'auto', onchange: change,
            ...options,
        });
        return { input, label: element('label', { class: 'field' }, element('span', { text }), input) };
    }

    _choice(choices) {
        const change = ({ target }) => this._set({ ...this._query, action: target.value });
        this._action = element('select', { onchange: change },
            element('option', { value: '', text: 'All actions' }),
            choices.map(([value, text]) => element('option', { value, text })));
        return element('label', { class: 'field' }, element('span', { text: 'Action' }), this._action);
    }

    async _take(key, text, idOf) {
        this._problem.textContent = '';
        try {
            const id = text === '' ? '' : await idOf(text);
            if (id === null) this._problem.textContent = `There is no account “${text}”.`;
            else this._set({ ...this._query, [key]: String(id) });
        } catch (error) {
            this._problem.textContent = worded(error).detail ?? String(error);
        }
    }

    async _userID(text) {
        return (await named(this.context, text))?.id ?? null;
    }

    _set(query) {
        this._query = Object.fromEntries(Object.entries(query).filter(([, value]) => value));
        if (!this._query.user) this._user.input.value = '';
        this._show();
        const text = new URLSearchParams(this._query).toString();
        history.replaceState(history.state, '', `#${this.route}${text && `?${text}`}`);
        this.onChange(this.query);
    }

    _show() {
        const { project = '', user = '', action = '' } = this._query;
        if (user && this._user.input.value === '') this._user.input.value = user;
        this._project.input.value = this._nameOf(project);
        if (this._action) this._action.value = action;
        this._clear.hidden = !user && !project && !action;
    }

    _suggest() {
        clearTimeout(this._timer);
        const text = this._user.input.value.trim();
        if (text === '') return;
        this._timer = setTimeout(async () => {
            const { results } = await searched(this.context, text).catch(() => ({ results: [] }));
            fill(this._users, results.slice(0, 20).map(({ username, display_name: label }) =>
                element('option', { value: username, label })));
        }, PAUSE);
    }

    /** Reads the names of projects, once. Two that are called alike have their ids with them. */
    readProjects() {
        this._reading ??= this._readProjects();
        return this._reading;
    }

    async _readProjects() {
        const { results } = await listed(this.context, '/projects/').catch(() => ({ results: [] }));
        this._called = new Map(results.map(({ id, name }) => [id, visible(name ?? '') || id]));
        const names = [...this._called.values()];
        const twice = new Set(names.filter((name, place) => names.indexOf(name) !== place));
        const typed = (name, id) => (twice.has(name) ? `${name} (${id})` : name);
        this._projects = new Map([...this._called].map(([id, name]) => [typed(name, id), id]));
        fill(this._projectNames, [...this._projects.keys()].map(value => element('option', { value })));
        if (document.activeElement !== this._project.input) this._show();
    }

    _nameOf(project) {
        return [...this._projects].find(([, id]) => id === project)?.[0] ?? project;
    }
}
