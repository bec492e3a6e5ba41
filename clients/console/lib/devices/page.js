import { element } from '../elements.js';
import { listed, Online } from '../online.js';
import { deviceTable } from './table.js';

/** Everybody's devices, for superusers: who has not synced, with which version, and how far behind. */
export function open(context) {
    const list = new Online(async () => {
        const { results, isAll } = await listed(context, '/devices/', {}, 1000);
        return [
            !isAll && element('p', { class: 'muted', text: 'These are the first 1,000. The API lists all of them.' }),
            deviceTable(context, results, { withUser: true, onForgotten: () => list.show() }),
        ];
    });
    list.show();
    const page = element('div', { class: 'sheet' }, element('h1', { text: 'Devices' }), list.element);
    return { element: page, title: 'Devices', close: () => list.close() };
}
