/** A SHA-256 as rows name it, and the id of a row. Both are parts of addresses. */
const DIGEST = /^[0-9a-f]{64}$/;
const ID = /^[a-z0-9][a-z0-9_.-]{0,63}$/i;

/**
 * The project that a call of `files` means; null if it does not say. `own` is the only project that there is, or null.
 * `names` are options besides `project`. Throws if something is asked for that can't be.
 */
export function askedProject(method, options, { own, names = [], digest }) {
    if (digest !== undefined && !DIGEST.test(digest)) {
        throw new TypeError(`files.${method} needs a digest, 64 digits of 0-9 and a-f.`);
    }
    const unknown = Object.keys(options).find(name => ![...names, 'project'].includes(name));
    if (unknown !== undefined) throw new TypeError(`files.${method} has no option ${unknown}.`);
    const { project = own } = options;
    if (project !== null && !(typeof project === 'string' && ID.test(project))) {
        throw new TypeError(`The option project of files.${method} is no id.`);
    }
    if (own !== null && project !== own) {
        throw new TypeError(`Only the project ${own} is here, and no files of ${project}.`);
    }
    return project;
}

/** The options of `files.add`. */
export function askedToAdd(options, own) {
    const { name = null, preview = null } = options;
    const project = askedProject('add', options, { own, names: ['name', 'preview'] });
    if (project === null) throw new TypeError('files.add needs the option project, since all projects are here.');
    for (const each of [name, preview]) {
        if (each !== null && typeof each !== 'string') throw new TypeError('name and preview of a file are texts.');
    }
    return { project, name, preview };
}

/** The state of an entry as the app sees it. */
export const shownState = ({ state, sent, size, reason }) => ({ state, sent, size, reason });

/** An entry in `files.list()`. */
export function shownEntry(entry) {
    const { digest, project, name, preview, type, detail } = entry;
    return { digest, project, name, preview, type, ...shownState(entry), detail };
}

/** A new entry of what is to be sent: see `stored.js` of the client for browsers. */
export const freshEntry = now => ({
    state: 'waiting', sent: 0, reason: null, detail: null, upload: null, voids: 0, added: now, storedAt: null, used: now,
});

/** What lets an entry that has failed be tried again. */
export const AGAIN = { state: 'waiting', reason: null, detail: null, voids: 0 };

/** Milliseconds in which the server surely has what it took, if a row names it or not. */
const SURE = 86_400_000;

/** Whether bytes that are added again need not be sent again: the server has them, or is about to. */
export function isUnderWay({ state, storedAt }, now) {
    if (state === 'stored') return storedAt !== null && now - storedAt < SURE;
    return state !== 'failed';
}
