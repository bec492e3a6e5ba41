import { sniffedType } from '../../tidemark/lib/common/files/types.js';

/** So many bytes of a file are looked at. In front of the size, a photo may have the text of a camera. */
const HEAD = 2 ** 19;
/** A photo of the largest camera of a phone has 50 million pixels. Decoded, each takes four bytes. */
const MOST_PIXELS = 64_000_000;

/**
 * What a Blob is by its first bytes: `{ type, width, height }` of a picture that may be decoded; null of all else. A few
 * bytes may promise a billion pixels, so the size is read before anything decodes them.
 */
export async function pictureIn(blob, most = MOST_PIXELS) {
    const head = await blob.slice(0, HEAD).arrayBuffer();
    const type = sniffedType(head);
    const size = sizeIn(head, type);
    const isFine = size !== null && size.width > 0 && size.height > 0 && size.width * size.height <= most;
    return isFine ? { type, ...size } : null;
}

/** The width and height that the head of a picture says; null if it does not, or says something else. */
function sizeIn(head, type) {
    try {
        return READERS[type]?.(new DataView(head)) ?? null;
    } catch (error) {
        if (error instanceof RangeError) return null;
        throw error;
    }
}

const READERS = { 'image/png': sizeOfPNG, 'image/gif': sizeOfGIF, 'image/webp': sizeOfWebP, 'image/jpeg': sizeOfJPEG };

const textAt = (view, place) =>
    String.fromCharCode(...[0, 1, 2, 3].map(each => view.getUint8(place + each)));

function sizeOfPNG(view) {
    if (textAt(view, 12) !== 'IHDR') return null;
    return { width: view.getUint32(16), height: view.getUint32(20) };
}

/** A decoder makes the screen as large as the first picture on it. */
function sizeOfGIF(view) {
    const number = place => view.getUint16(place, true);
    const paletteAt = (place, begin) => begin + (view.getUint8(place) & 0x80 ? 3 << (view.getUint8(place) & 7) + 1 : 0);
    let place = paletteAt(10, 13);
    while (view.getUint8(place) === 0x21) {
        place += 2;
        while (view.getUint8(place) !== 0) place += 1 + view.getUint8(place);
        place += 1;
    }
    if (view.getUint8(place) !== 0x2c) return null;
    return {
        width: Math.max(number(6), number(place + 1) + number(place + 5)),
        height: Math.max(number(8), number(place + 3) + number(place + 7)),
    };
}

function sizeOfWebP(view) {
    const kind = textAt(view, 12);
    if (kind === 'VP8X') {
        const number = place => view.getUint16(place, true) + (view.getUint8(place + 2) << 16);
        return { width: 1 + number(24), height: 1 + number(27) };
    }
    if (kind === 'VP8L' && view.getUint8(20) === 0x2f) {
        const bits = view.getUint32(21, true);
        return { width: 1 + (bits & 0x3fff), height: 1 + (bits >>> 14 & 0x3fff) };
    }
    if (kind !== 'VP8 ' || view.getUint16(23) !== 0x9d01 || view.getUint8(25) !== 0x2a) return null;
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

/** Goes from segment to segment, up to the first one with a size. */
function sizeOfJPEG(view) {
    for (let place = 2; view.getUint8(place) === 0xff;) {
        const marker = view.getUint8(place + 1);
        const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
        if (isFrame) return { width: view.getUint16(place + 7), height: view.getUint16(place + 5) };
        if (marker === 0xda || marker === 0xd9) return null;
        const isAlone = marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
        // A byte of filling stands before the marker itself.
        place += marker === 0xff ? 1 : isAlone ? 2 : 2 + view.getUint16(place + 2);
    }
    return null;
}
