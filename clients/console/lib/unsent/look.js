import { Names } from '../fields/row-name.js';
import { TroubleActions } from './actions.js';

/**
 * The rows that edits are about, and the names in them: see cards.js. Reads them once; edits are few, and rows may be
 * many.
 */
export async function lookAt(context, catalog, edits) {
    const { tidemark } = context;
    const projects = new Map();
    for (const { project_id: project } of edits) {
        if (!projects.has(project)) projects.set(project, await namesIn(tidemark, catalog, project, edits));
    }
    const present = new Map();
    for (const { collection, id } of edits) present.set(`${collection} ${id}`, await tidemark.row(collection, id));
    return {
        catalog, actions: new TroubleActions(context),
        names: ({ project_id: project }) => projects.get(project) ?? new Names(catalog, () => undefined),
        present: ({ collection, id }) => present.get(`${collection} ${id}`) ?? null,
    };
}

async function namesIn(tidemark, catalog, project, edits) {
    const needed = new Set([catalog.memberships?.name].filter(Boolean));
    for (const { collection } of edits.filter(each => each.project_id === project)) {
        catalog.neededToName(collection).forEach(each => needed.add(each));
    }
    const rows = new Map();
    for (const name of needed) {
        rows.set(name, new Map((await tidemark.rows(name, { project })).map(row => [row.id, row])));
    }
    return new Names(catalog, name => rows.get(name));
}
