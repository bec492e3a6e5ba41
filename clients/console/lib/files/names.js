// Names of files: as a row has them, and as they are written to a disk.

/** Letters of a row's name, and bytes of one on a disk. */
const [LONGEST, LONGEST_ON_DISK] = [255, 200];
/** What begins with the last point is the kind of a file, if it is no longer. */
const LONGEST_KIND = 16;
/** Marks that turn the direction, or that nobody sees. */
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const FORBIDDEN = /[/\\:*?"<>|]/g;
/** Windows means devices by these. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

const encoder = new TextEncoder();

/** The name that a row gets of a file's name. */
export function nameOfRow(name) {
    const text = name.toWellFormed?.() ?? name;
    return shortened(text.replaceAll('\u0000', '').trim(), each => [...each].length <= LONGEST) || 'Untitled';
}

/** A name under which a file is saved: no way out of a folder, nothing hidden, no device, and not too long. */
export function nameOnDisk(name) {
    const text = name.replace(HIDDEN, '').replace(FORBIDDEN, '_').replace(/^[\s.]+|[\s.]+$/g, '');
    const safe = DEVICE.test(text) ? `_${text}` : text;
    return shortened(safe, each => encoder.encode(each).length <= LONGEST_ON_DISK) || 'file';
}

/** The media type that a row claims; undefined for none. */
export const mediaTypeOf = ({ type }) => (/^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type) ? type : undefined);

/** The start of a name, and its kind. */
function shortened(name, isShort) {
    if (isShort(name)) return name;
    const point = name.lastIndexOf('.');
    const kind = point > 0 && name.length - point <= LONGEST_KIND ? name.slice(point) : '';
    const start = [...name.slice(0, name.length - kind.length)];
    let length = start.length;
    while (length > 0 && !isShort(start.slice(0, length).join('') + kind)) length -= 1;
    return start.slice(0, length).join('') + kind;
}
