import { Database } from '../store/database.js';
import { folded } from '../store/owner.js';
import { Replica } from '../store/replica.js';

/**
 * The name of the database that has a user's copy. Each user has one. But the one without a user's name, which `open`
 * without `user` has, and every earlier version of this module had, stays its owner's where it is: so no window that has
 * it open has to close, and nothing is ever moved. If its owner has begun on both, it is taken as long as something of it
 * is unsent or set aside.
 *
 * What was edited on it before anybody has begun is open to each user who has no copy of their own.
 *
 * `place` is what all names begin with, `options` are the replica's.
 */
export async function copyName(indexedDB, place, options) {
    const { user } = options;
    const [nameless, named] = [place.trim(), `${place} ${folded(user)}`];
    const look = name => statusOf(indexedDB, name, { ...options, user: null });
    const known = await look(nameless);
    if (!known || !mayHave(user, known)) return named;
    if (known.owner && known.unsent + known.aside + known.files > 0) return nameless;
    const own = await look(named);
    return own && (own.owner || own.unsent + own.files > 0) ? named : nameless;
}

const mayHave = (user, { owner, unsent, files }) =>
    (owner ? folded(owner.username) === folded(user) : unsent + files > 0);

/** See `Replica.status`. Null if there is no such database. */
async function statusOf(indexedDB, name, options) {
    const database = await Database.find(indexedDB, name);
    if (!database) return null;
    try {
        return await new Replica(database, options).status();
    } finally {
        database.close();
    }
}
