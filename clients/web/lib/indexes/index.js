// All that is about indexes. It is loaded by windows that name some, that ask with `where`, `order` or `limit`, or whose
// copy has some, since another window's page has named them.
import { Naming } from './naming.js';

export { answer } from './answer.js';
export { Entries } from './entries.js';

/** Gives the copy the indexes that this window's page names. */
export async function name(replica, indexes, onError) {
    replica.naming = new Naming(replica, indexes, onError);
    await replica.naming.ensure();
}
