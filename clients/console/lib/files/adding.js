import { quoted } from '../edit/undo/words.js';
import { timer } from '../edit/undo/waiting.js';
import { mediaTypeOf, nameOfRow } from './names.js';
import { previewOf } from './preview.js';

/** So many files are added in one go, and no larger ones: a browser reads each into memory. */
const [MOST, LARGEST] = [100, 512 * 2 ** 20];
/** Milliseconds that a file waits for its small picture, once its bytes are stored. */
const PATIENCE = 1500;

/**
 * Adds files to a row, as one step: the bytes first, then the rows that name them. `values` are what each row has.
 * `onFile(place)` is told before each file. Resolves to `{ added, problems }`: how many there are now, and a sentence
 * for each that there is not.
 */
export async function addFiles({ context, project, collection, values, onFile = () => {} }, given) {
    const files = [...given].slice(0, MOST);
    const problems = given.length > MOST
        ? [`At most ${MOST} files can be added in one go. The others were left out.`] : [];
    const stored = [];
    for (const [place, file] of files.entries()) {
        onFile(place);
        try {
            stored.push(await store(context.tidemark, project, file));
        } catch (error) {
            problems.push(`${quoted(file.name)} was not added: ${whyNot(error)}`);
        }
    }
    if (stored.length === 0) return { added: 0, problems };
    const changes = stored.map(({ row }) => ({
        collection: collection.name, id: context.tidemark.newID(),
        insert: { project_id: project, ...values, ...only(row, collection) },
    }));
    const name = stored.length === 1 ? `Add ${quoted(stored[0].row.name)}` : `Add ${stored.length} files`;
    const { refused } = await context.edits.apply({ name, changes });
    // An undo elsewhere may have taken the same bytes away before they had this row.
    await Promise.all(stored.map(each => keep(context.tidemark, project, each)));
    problems.push(...refused.map(({ error }) => whyNot(error)));
    return { added: stored.length - refused.length, problems };
}

/** Stores the bytes. The small picture is made meanwhile, and a file does not wait for it long. */
async function store({ files }, project, file) {
    if (file.size > LARGEST) throw Object.assign(new Error('too large'), { detail: TOO_LARGE });
    const name = nameOfRow(file.name ?? '');
    const picture = previewOf(file).catch(() => null);
    const { digest, size } = await files.add(file, { project, name });
    const preview = await Promise.race([picture, new Promise(resolve => { timer(() => resolve(null), PATIENCE); })]);
    return { file, row: { name, media_type: mediaTypeOf(file), size, file: digest, preview } };
}

async function keep({ files }, project, { file, row: { file: digest, name } }) {
    if (await files.state(digest, { project }) === null) await files.add(file, { project, name });
}

/** What the collection has, and what there is. */
const only = (row, collection) => Object.fromEntries(Object.entries(row)
    .filter(([name, value]) => (value ?? null) !== null && collection.field(name)));

const TOO_LARGE = 'it has more than 512 MB, which is more than a browser can take.';

function whyNot(error) {
    if (error.name === 'NotReadableError' || error.name === 'NotFoundError') {
        return 'it can\'t be read. A folder can\'t be added; a file may have been moved or changed.';
    }
    return error.detail ?? String(error);
}
