// What is edited in the campaign, and by whom.
import { NEW } from '../../../watermelondb/tests/support/rows.js';

/** The fields that both sides edit, and those that only one side does. */
export const FIELDS = {
    tasks: { both: ['name'], browser: ['notes'], phone: ['wbs_path'] },
    risks: { both: ['title'], browser: ['description'], phone: [] },
    sprints: { both: ['goal'], browser: ['name'], phone: [] },
    calendars: { both: ['name'], browser: [], phone: [] },
    task_links: { both: ['title'], browser: ['description'], phone: ['custom_title'] },
    time_entries: { both: ['note'], browser: [], phone: [] },
    dependencies: { both: ['lag'], browser: [], phone: [] },
};

export const COLLECTIONS = Object.keys(FIELDS);

/** What a new row refers to. The server deletes it together with any of these. */
export const REFERENCES = {
    tasks: ['parent'], task_links: ['task'], time_entries: ['task'], dependencies: ['predecessor', 'successor'],
};

/** The reference that may be missing. */
const OPTIONAL = ['parent'];

/** A new row, and the ids that it refers to; null if there is nothing that it could refer to. */
export function newRow(collection, { id, tasks, random, value }) {
    const references = {};
    for (const name of REFERENCES[collection] ?? []) {
        if (OPTIONAL.includes(name) && (tasks.length === 0 || random() < .6)) continue;
        const free = tasks.filter(each => !Object.values(references).includes(each));
        if (free.length === 0) return null;
        references[name] = free[Math.floor(random() * free.length)];
    }
    const [field] = FIELDS[collection].both;
    return { row: { ...NEW[collection], ...references, id, [field]: value }, references: Object.values(references) };
}

/** A value that nobody has written before, and not the default: the history of an insert leaves defaults out. */
export const valueOf = (field, text, number) => field === 'lag' ? number + 1 : `${text} ${number}`;
