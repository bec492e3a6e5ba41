import { chip, element, empty, fill } from '../elements.js';
import { visible } from '../fields/format.js';
import { words } from '../fields/names.js';
import { listed, Online } from '../online.js';
import { pathTo } from '../routes.js';
import { COLUMNS, sorted } from './sort.js';
import { countText, growthText } from './words.js';

const MOST = 2000;
// Up to which the server counts: docs/protocol.md, `GET /admin/storage/`.
const MOST_COUNTED = 100_000;

/** What each project has, and how it has grown; sorted by any column. */
export function projects(context) {
    return new Online(async () => {
        const { results, isAll } = await listed(context, '/admin/storage/projects/', {}, MOST);
        if (results.length === 0) return empty('No projects yet', 'Each project appears here with what it has stored.');
        return [
            !isAll && element('p', { class: 'muted',
                text: `These are the first ${countText(MOST)} by id. The API lists all of them.` }),
            new ProjectTable(results).element,
        ];
    });
}

class ProjectTable {
    _column = 1;
    _isTurned = false;
    _open = new Set();

    constructor(found) {
        this.found = found;
        const days = found[0].grown?.days ?? 7;
        const last = `in the last ${days} days`;
        const titles = { Grown: `Rows added ${last} that are still there`, Commits: `Commits ${last}` };
        this._heads = COLUMNS.map(([text], place) => element('th', { scope: 'col', class: place > 0 && 'number' },
            element('button', {
                class: 'sort', title: titles[text], text: titles[text] ? `${text}, ${days} d` : text,
                onclick: () => this._sort(place),
            })));
        this._body = element('tbody');
        this.element = element('div', { class: 'wide-table', tabindex: 0, role: 'region', 'aria-label': 'Projects' },
            element('table', { class: 'project-table' },
                element('thead', {}, element('tr', {}, this._heads)), this._body));
        this._show();
    }

    _sort(column) {
        this._isTurned = column === this._column && !this._isTurned;
        this._column = column;
        this._show();
    }

    _show() {
        for (const [place, head] of this._heads.entries()) {
            const isUp = (place === 0) !== this._isTurned;
            if (place === this._column) head.setAttribute('aria-sort', isUp ? 'ascending' : 'descending');
            else head.removeAttribute('aria-sort');
        }
        fill(this._body, sorted(this.found, this._column, this._isTurned).map(project => this._rows(project)));
    }

    _rows(project) {
        const { project_id: id, rows, tombstones, answers, rejected, grown } = project;
        const isOpen = this._open.has(id);
        const details = element('tr', { class: 'inner', hidden: !isOpen },
            element('td', { colspan: COLUMNS.length }, collections(project)));
        const name = visible(project.project_name ?? '') || id;
        const button = element('button', {
            class: 'quiet fold', 'aria-expanded': String(isOpen), 'aria-label': `Collections of ${name}`, text: '›',
            onclick: () => {
                details.hidden = !details.hidden;
                button.setAttribute('aria-expanded', String(!details.hidden));
                this._open[details.hidden ? 'delete' : 'add'](id);
            },
        });
        const number = text => element('td', { class: 'number', text });
        return [
            element('tr', {},
                element('th', { scope: 'row' }, button, element('a', {
                    href: `#${pathTo('/plan/:project/members', { project: id })}`, title: id,
                }, element('bdi', { text: name })), ' ', states(project)),
                number(countText(rows)), number(growthText(grown?.rows)),
                number(countText(grown?.commits, MOST_COUNTED)),
                number(countText(tombstones)), number(countText(answers, MOST_COUNTED)),
                element('td', { class: 'number' }, rejected > 0 ? element('a', {
                    href: `#/lost?${new URLSearchParams({ project: id })}`, text: countText(rejected, MOST_COUNTED),
                }) : '–')),
            details,
        ];
    }
}

const states = ({ is_archived: isArchived, is_deleted: isDeleted }) => [
    isDeleted && chip('deleted', 'bad'), !isDeleted && isArchived && chip('archived'),
];

function collections({ project_id: id, collections: all = {}, digests, grown }) {
    const shown = Object.entries(all).sort(([, one], [, other]) => other.rows - one.rows);
    return [
        element('p', { class: 'muted' }, element('code', { text: id }),
            ` · ${countText(digests, MOST_COUNTED)} digests`,
            grown?.tombstones > 0 && ` · ${countText(grown.tombstones)} tombstones in the last ${grown.days} days`),
        element('ul', { class: 'collections' }, shown.map(([name, { rows, tombstones }]) => element('li', {},
            element('span', { text: words(name) }), element('span', { class: 'number', text: countText(rows) }),
            element('span', {
                class: 'muted number small', text: tombstones > 0 ? `${countText(tombstones)} deleted` : '',
            })))),
    ];
}
