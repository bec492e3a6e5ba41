import { ask } from '../dialog.js';
import { quoted } from './undo/words.js';

/**
 * Deletes a row: it is hidden at once, and goes after ten seconds. A whole project is asked about before. Resolves to
 * whether it goes.
 */
export async function removeRow(edits, collection, row, name) {
    const isSure = collection.scope !== 'project' || await ask({
        title: `Delete ${collection.singular}?`, action: 'Delete',
        text: `The whole project ${quoted(name)} goes, for all of its members. It can't be taken back.`,
    });
    if (!isSure) return false;
    const changes = [{ collection: collection.name, id: row.id, delete: true }];
    await edits.apply({ name: `Delete ${quoted(name)}`, changes });
    return true;
}
