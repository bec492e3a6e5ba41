import { Index } from '../../lib/indexes/entries.js';

const texts = keys => keys.filter(Boolean).map(key => JSON.stringify(key)).sort();

/** The entries that a copy has, and those that it must have: of each row up to the mark of each index. */
export function entriesOf(replica) {
    return replica.database.read(async transaction => {
        const { indexes = [] } = await transaction.get('meta', 'state');
        if (replica.database._db.version === 1) return { stored: [], due: [] };
        const [stored, rows] = [await transaction.keys('entries'), await transaction.all('rows')];
        const made = indexes.map(each => new Index(each));
        const isMade = ([number, ...rest]) => {
            const { mark } = made.find(index => index.number === number) ?? { mark: null };
            return mark === null || rest.at(-1) <= mark;
        };
        const due = made.flatMap(index =>
            rows.filter(({ collection }) => collection === index.collection).map(row => index.entryOf(row)));
        return { stored: texts(stored.filter(isMade)), due: texts(due.filter(each => each && isMade(each))) };
    });
}
