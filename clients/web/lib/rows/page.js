import { invalidAnswer } from '../common/error.js';
import { EVERYTHING } from '../common/filter-text.js';
import { isOfOneCommit } from '../common/transport.js';
import { accepts } from './schema.js';
import { isID } from './values.js';

/**
 * A page as the store takes it: `{ changes, count, timestamp, nextCursor, total, left, outside, replaced, heads,
 * digests, isFiltered, filter, digest }`, and `answer`: what it was made of, `{ json, head, filter, digest }`. `head`
 * is the server's when it answered, null if that is not known. `filter` is the text of the drain's filter; `digest`
 * says whether the digest of a part was asked for. `project` is null for a page of all projects; a page of one gets
 * the form of one of all, with its own project. `outside` are projects that the filter does not have any more.
 *
 * Throws `invalid_answer` for every departure from docs/protocol.md. If a page were understood only in part, only a
 * part would be stored, but its watermark adopted.
 */
export function readPage(json, schema, project, { head = null, filter = EVERYTHING, digest = false } = {}) {
    promised(isObject(json), 'a page is not an object');
    const { changes, timestamp, has_more: hasMore, next_cursor: nextCursor, progress } = json;
    promised(isNumber(timestamp) && timestamp > 0, '`timestamp` is not a number from 1 to 2^53 - 1');
    promised(isObject(changes), '`changes` is missing');
    promised(nextCursor === null || (typeof nextCursor === 'string' && nextCursor !== ''), '`next_cursor` is missing');
    promised(hasMore === (nextCursor !== null), '`has_more` and `next_cursor` contradict each other');
    const read = schema.collections.filter(({ name }) => Object.hasOwn(changes, name))
        .map(collection => changesOf(collection, changes[collection.name]));
    const count = read.reduce((sum, { created, updated, deleted, left }) =>
        sum + created.length + updated.length + deleted.length + left.length, 0);
    const total = isNumber(progress?.total) ? progress.total : null;
    const projects = project === null ? ofAll(json) : ofOne(json, project);
    return asked({
        changes: read, count, timestamp, nextCursor, total, ...projects, isFiltered: json.filtered === true,
        answer: { json, head },
    }, filter, digest);
}

/** The page as one of a drain with this filter. */
export const asked = (page, filter, digest) =>
    ({ ...page, filter, digest, answer: { ...page.answer, filter, digest } });

/** Whether a drain counts that ends with this page. */
export const counts = ({ timestamp, answer: { head } }, isOnlyPage) => isOfOneCommit(head, timestamp, isOnlyPage);

function ofOne({ next_cursor: nextCursor, timestamp, digest = null }, project) {
    const isLast = nextCursor === null;
    return {
        left: {}, outside: [], replaced: [], heads: isLast ? { [project]: timestamp } : {},
        digests: isLast && digest !== null ? { [project]: digestsOf(digest) } : {},
    };
}

function ofAll({ next_cursor: nextCursor, left_projects: left = null, replaced = [], heads = null, digest = null }) {
    promised(left === null || (Array.isArray(left) && left.every(isLoss)), '`left_projects` is damaged');
    promised(Array.isArray(replaced) && replaced.every(isID), '`replaced` is damaged');
    promised(nextCursor !== null || (isObject(heads) && Object.values(heads).every(isNumber)), '`heads` is missing');
    const digests = Object.entries(digest ?? {}).filter(([, each]) => each !== null);
    const [outside, lost] = [true, false].map(is => (left ?? []).filter(({ code }) => (code === OUTSIDE) === is));
    return {
        hasLeft: left !== null, left: Object.fromEntries(lost.map(each => [each.project_id, each.code])),
        outside: outside.map(each => each.project_id), replaced, heads: heads ?? {},
        digests: Object.fromEntries(digests.map(([project, each]) => [project, digestsOf(each)])),
    };
}

function digestsOf(digest) {
    promised(isObject(digest) && Object.values(digest).every(isDigest), '`digest` is damaged');
    return digest;
}

function changesOf(collection, bucket) {
    const { created, updated, deleted, left = [] } = bucket ?? {};
    promised([created, updated, deleted].every(Array.isArray), `${collection.name} lacks one of its three lists`);
    promised(Array.isArray(left), `${collection.name} has no list of ids that left`);
    promised([...deleted, ...left].every(isID), `${collection.name} has a deleted id that is none`);
    const changes = {
        collection, deleted, left, created: created.map(row => rowOf(collection, row)),
        updated: updated.map(row => rowOf(collection, row)),
    };
    const ids = [...changes.created, ...changes.updated].map(({ id }) => id).concat(deleted, left);
    promised(new Set(ids).size === ids.length, `${collection.name} has an id twice on one page`);
    return changes;
}

function rowOf(collection, row) {
    const { id, project_id, server_version } = row ?? {};
    promised(isID(id) && isID(project_id), `${collection.name} has a row without an id or a project`);
    promised(isNumber(server_version) && server_version > 0, `${collection.name} ${id} has no version`);
    const values = {};
    for (const field of collection.fields) {
        if (!Object.hasOwn(row, field.name)) continue;
        const value = row[field.name];
        promised(accepts(field, value), `${field.name} of ${collection.name} ${id} is not as in the schema`);
        values[field.name] = value;
    }
    return { id, project_id, server_version, values };
}

function promised(isAsPromised, otherwise) {
    if (!isAsPromised) throw invalidAnswer(`The answer to a pull can't be used: ${otherwise}.`);
}

const isObject = value => value !== null && typeof value === 'object' && !Array.isArray(value);
const isNumber = value => Number.isSafeInteger(value) && value >= 0;
/** The code of a project that the filter does not have any more. */
const OUTSIDE = 'filtered';
const isLoss = loss =>
    isID(loss?.project_id) && ['membership_revoked', 'project_deleted', OUTSIDE].includes(loss.code);
const isDigest = each => isNumber(each?.count) && /^[0-9a-f]{16}$/.test(each.digest);
