import { openDialog } from '../dialog.js';
import { element } from '../elements.js';
import { visible } from '../fields/format.js';
import { notify, notifyError } from '../notices.js';
import { nameOnDisk } from './names.js';
import { pictureIn } from './pixels.js';

/** Milliseconds after which no browser still has to begin a download. */
const BEGUN = 60_000;

/** The bytes of a row's file. The type of the Blob is the server's word, never the row's. */
export const openFile = ({ tidemark }, { file, project_id: project }) => tidemark.files.open(file, { project });

/** Saves a file. Its address never leads anywhere: in a tab, it would be a page of the console's origin. */
export async function download(context, row) {
    try {
        const address = URL.createObjectURL(await openFile(context, row));
        element('a', { href: address, download: nameOnDisk(row.name) }).click();
        setTimeout(() => URL.revokeObjectURL(address), BEGUN);
    } catch (error) {
        notifyError(error);
    }
}

/** Shows a picture in its size, or says that it is none. */
export async function showPicture(context, row) {
    try {
        const blob = await openFile(context, row);
        const picture = await pictureOf(blob, { alt: row.name });
        if (!picture) return void notify('This is no picture that the console can show. Download it instead.');
        openDialog({ title: visible(row.name) || row.id }, element('div', { class: 'file-large' }, picture),
            element('form', { method: 'dialog', class: 'actions' },
                element('button', { type: 'button', text: 'Download', onclick: () => download(context, row) }),
                element('button', { class: 'primary', autofocus: true, text: 'Close' })));
    } catch (error) {
        notifyError(error);
    }
    return undefined;
}

/** An image of a Blob; null if it is none, or too large to decode. Its address is over as soon as it is shown. */
export async function pictureOf(blob, options = {}) {
    const picture = await pictureIn(blob);
    if (picture === null || picture.type !== blob.type) return null;
    const address = URL.createObjectURL(blob);
    const forget = () => URL.revokeObjectURL(address);
    // Dragged, it would be a file that is dropped.
    return element('img', { alt: '', draggable: 'false', onload: forget, onerror: forget, src: address, ...options });
}
