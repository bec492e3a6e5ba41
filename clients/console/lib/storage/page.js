import { element } from '../elements.js';
import { Online } from '../online.js';
import { backups } from './backups.js';
import { checks } from './checks.js';
import { projects } from './projects.js';
import { bytesText, countText } from './words.js';

/** What is stored, whether it is sound, and its backups. */
export function open(context) {
    const checked = checks(context, answer => saved.checked(answer));
    const saved = backups(context, () => checked.begun());
    const totals = new Online(async () => {
        const storage = context.api('GET', '/admin/storage/');
        saved.show(storage);
        return tiles(await storage);
    });
    const parts = [totals, saved, checked, projects(context)];
    const titles = [null, 'Backups', 'Check', 'Projects'];
    const page = element('div', { class: 'sheet' }, element('h1', { text: 'Storage' }),
        parts.map((part, place) => (titles[place] === null ? part.element : section(titles[place], part.element))));
    for (const part of [totals, ...parts.slice(2)]) part.show();
    return { element: page, title: 'Storage', close: () => parts.forEach(part => part.close()) };
}

const section = (title, content) =>
    element('section', { 'aria-label': title }, element('h2', { text: title }), content);

function tiles({
    bytes, wal_bytes: wal, free_bytes: free, database, rows, tombstones, history, answers, inbox, most,
}) {
    const isLittle = free !== null && bytes !== null && free < bytes;
    const shown = [
        ['Database', bytesText(bytes), database],
        wal !== null && ['Write-ahead log', bytesText(wal), 'not yet in the file'],
        free !== null && ['Free on the disk', bytesText(free), isLittle ? 'less than the database' : ''],
        ['Rows', countText(rows), ''],
        ['Tombstones', countText(tombstones), 'ids of deleted rows'],
        ['History', countText(history, most), 'changes'],
        ['Answers', countText(answers, most), 'for uploads that come again'],
        ['Lost edits', countText(inbox, most), 'kept for their authors'],
    ].filter(Boolean);
    return element('dl', { class: 'tiles' }, shown.map(([name, value, about]) => element('div', {},
        element('dt', { text: name }), element('dd', { class: 'tile-value number', text: value }),
        about && element('dd', { class: 'muted small', text: about }))));
}
