import { words } from '../fields/names.js';

// How a file stands with the server, in words.

/** Why the server does not take a file, with what can be done. Other codes have the server's own sentence. */
const FAILED = {
    quota_exceeded: 'The project has no room for it. Ask an admin of the project for more room, then try again.',
    file_too_large: 'It is larger than this server takes. Add a smaller one, or ask the operator for a higher limit.',
    forbidden: 'You may not add files to this project any more. Ask an admin of it for the role Member.',
    not_found: 'The server knows no such project, or you are no member of it. Ask an admin of it.',
    bytes_lost: 'This browser has lost its bytes. Delete it here, and add it again.',
    digest_mismatch: 'It came to the server damaged, twice. Try again, or from another network.',
};

/** Why a file waits, other than for its turn. */
const WAITS = {
    disk_full: 'The disk of the server is full. It is sent when there is room.',
    no_file_store: 'This server has no place for files. Ask the operator to set one up.',
    too_many_uploads: 'You have too many files under way. It is sent after them.',
    rate_limited: 'You have sent many files. It is sent in a minute.',
};

/**
 * What a person is told of a row with a file: `{ kind, text, share, canRetry }`. `kind` is `stored`, `sending`,
 * `waiting`, `failed`, `elsewhere` or `none`; `share` of it was sent, null but while it is sent.
 *
 * `entry` is what this copy knows of the file; null for nothing. `reasons` are why the server refuses the row. `isOwn`:
 * the user has added it; `author` is who has.
 */
export function stateOf(row, { entry = null, reasons = [], isOnline = null, isOwn = false, author = '' }) {
    const told = (kind, text = '', more = {}) => ({ kind, text, share: null, canRetry: false, ...more });
    if (reasons.length > 0) return told('failed', `The server refuses it: ${reasons.join(' ')}`);
    if (entry?.state === 'failed') return told('failed', whyFailed(entry), { canRetry: entry.reason !== 'bytes_lost' });
    if (entry?.state === 'sending') return sending(entry, isOnline, told);
    if (entry?.state === 'waiting') return told('waiting', whyWaits(entry, isOnline));
    if (row.state === 'stored') return told('stored');
    if (!row.file) return told('none', 'It has no file.');
    if (entry) return told('stored', row._status === 'synced' ? 'Sent' : whyWaits(entry, isOnline));
    if (row.state !== 'pending') return told('elsewhere', words(row.state));
    return told('elsewhere', isOwn ? 'Only on another device of yours, until that sends it'
        : `Only on a device of ${author || 'its author'}, until that sends it`);
}

function sending({ sent, size }, isOnline, told) {
    const share = size > 0 ? Math.min(1, sent / size) : 0;
    const percent = `${Math.floor(100 * share)} %`;
    return isOnline === false ? told('waiting', `Waits for a network, ${percent} sent`, { share })
        : told('sending', `Sending, ${percent}`, { share });
}

const whyFailed = ({ reason, detail }) => FAILED[reason] ?? detail ?? 'The server does not take it. Try again.';

function whyWaits({ reason }, isOnline) {
    if (isOnline === false) return 'Waits for a network';
    return WAITS[reason] ?? 'Waits to be sent';
}
