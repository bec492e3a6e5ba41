import { inOrder, Placing } from '../../tidemark/lib/order/index.js';
import { withProgress } from '../plan/progress.js';

/**
 * What goes with values that are written to a row: `{ values, others }`, all values of the row, and edits of other rows.
 * Another parent is another place: the last one below it.
 */
export function goesWith(collection, row, values, rowsOf) {
    const all = withProgress(collection, row, values);
    const isPlaced = collection.name === 'tasks' && 'parent' in values && collection.field('rank');
    const tasks = isPlaced && rowsOf(collection.name);
    if (!tasks) return { values: all, others: [] };
    const siblings = inOrder([...tasks.values()].filter(each => each.id !== row.id && each.parent === values.parent));
    const { ranks: [rank], reranked } = new Placing().put(siblings, siblings.length);
    const others = reranked.map(each => ({
        collection: collection.name, id: each.id, update: { rank: each.rank },
        expected: { rank: tasks.get(each.id).rank ?? null },
    }));
    return { values: { ...all, rank }, others };
}
