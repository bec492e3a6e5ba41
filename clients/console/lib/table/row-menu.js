import { openMenu } from '../edit/menu.js';

/** What can be done with a row. */
export const openRowMenu = (anchor, { onOpen, onDelete, whyNotDelete }) => openMenu(anchor, 'Row', [
    { text: 'Open', keys: 'Ctrl Enter', work: onOpen },
    { text: 'Delete', keys: 'Ctrl Del', work: onDelete, why: whyNotDelete },
]);
