import { cascadeOf } from '../data/cascade.js';
import { openDialog } from '../dialog.js';
import { element } from '../elements.js';
import { counted } from '../fields/names.js';

/**
 * Asks whether a row may be deleted, and says what goes with it: at once what is here, and as soon as the server has
 * answered what the user can't see. `rowsOf` has all collections of the project. Resolves to whether the user wants it.
 */
export function askDelete(tidemark, catalog, rowsOf, collection, row, name) {
    const { goes, cleared, blockers } = cascadeOf(catalog, rowsOf, [{ collection: collection.name, id: row.id }]);
    const isProject = collection.scope === 'project';
    const lines = [
        isProject && 'The whole project goes with it, for all of its members.',
        !isProject && goes.size > 0 && `With it go ${listed(goes)}.`,
        cleared.size > 0 && `${listed(cleared)} will no longer refer to it.`,
        blockers.size > 0 && !isProject && `The server is going to refuse this: ${listed(blockers)} still need it.`,
        'It can\'t be taken back.',
    ].filter(Boolean);
    return new Promise(resolve => {
        const decide = way => element('button', { type: 'button', onclick: () => dialog.close(way), ...WAYS[way] });
        const dialog = openDialog({ title: `Delete ${collection.singular}?`,
            onClose: way => resolve(way === 'delete') },
            element('p', { class: 'quoted' }, element('bdi', { text: name })),
            lines.map(text => element('p', { text })), hiddenLine(tidemark, collection, row),
            element('div', { class: 'actions' }, decide('cancel'), decide('delete')));
        dialog.querySelector('[data-first]')?.focus();
    });
}

/** A line that is empty until the server has said what goes along unseen. Without a network it stays empty. */
function hiddenLine(tidemark, collection, { id, _status }) {
    const line = element('p', { class: 'hidden-rows', role: 'status' });
    const path = `/${collection.name}/${encodeURIComponent(id)}/`;
    const answer = _status === 'created' ? Promise.resolve({})
        : tidemark.request('DELETE', path, { query: { dry_run: true } });
    answer.then(({ hidden = {} }) => {
        const counts = new Map(Object.entries(hidden).filter(([, count]) => count > 0));
        if (counts.size > 0) line.textContent = `${listed(counts)} of others that you can't see would go, too.`;
    }, () => {});
    return line;
}

const WAYS = {
    cancel: { text: 'Cancel', 'data-first': true }, delete: { text: 'Delete', class: 'danger' },
};

/** “3 tasks, 2 dependencies and 1 risk”. */
export function listed(counts) {
    const parts = [...counts].map(([collection, count]) => counted(count, collection));
    return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
