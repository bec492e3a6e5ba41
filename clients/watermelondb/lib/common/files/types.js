/** Of what the server says nothing, or nothing yet. */
export const ANY_TYPE = 'application/octet-stream';

const text = characters => [...characters].map(character => character.charCodeAt(0));
const STARTS = [
    ['image/jpeg', [[0, [0xff, 0xd8, 0xff]]]],
    ['image/png', [[0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]]]],
    ['image/gif', [[0, text('GIF87a')]]],
    ['image/gif', [[0, text('GIF89a')]]],
    ['image/webp', [[0, text('RIFF')], [8, text('WEBP')]]],
];

/** How many bytes of a file `sniffedType` looks at. */
export const SNIFFED = 12;

/**
 * What the server is going to say of the bytes in this buffer. Whoever adds or names them claims something else, perhaps
 * HTML, which would run as a page of the app's origin where a `blob:` address leads to it.
 */
export function sniffedType(bytes) {
    const first = new Uint8Array(bytes, 0, Math.min(SNIFFED, bytes.byteLength));
    const has = ([place, expected]) => expected.every((byte, index) => first[place + index] === byte);
    return STARTS.find(([, pieces]) => pieces.every(has))?.[0] ?? ANY_TYPE;
}
