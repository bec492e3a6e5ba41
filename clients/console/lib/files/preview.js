import { pictureIn } from './pixels.js';

/** What the field `preview` takes, and how many pixels one may have that somebody else has made. */
const [MOST_BYTES, MOST_PIXELS] = [4096, 2 ** 18];
/** The longest side, and the quality, of what is tried one after the other. */
const TRIED = [[128, .6], [112, .5], [96, .5], [80, .4], [64, .4], [48, .3]];
const WIDEST = 512;

/** A small picture of a file for its row, as base64; null if it is no picture, or can't be decoded. */
export async function previewOf(file) {
    const picture = await pictureIn(file);
    if (picture === null) return null;
    // By its first bytes: what the file calls itself may lead to another decoder.
    const source = new Blob([file], { type: picture.type });
    const bitmap = await createImageBitmap(source, {
        resizeWidth: Math.min(WIDEST, picture.width), resizeQuality: 'medium',
    });
    try {
        return await smallest(bitmap);
    } finally {
        bitmap.close();
    }
}

async function smallest(bitmap) {
    for (const [side, quality] of TRIED) {
        const blob = await drawn(bitmap, side).convertToBlob({ type: 'image/jpeg', quality });
        if (blob.size <= MOST_BYTES) return btoa(String.fromCharCode(...new Uint8Array(await blob.arrayBuffer())));
    }
    return null;
}

function drawn(bitmap, side) {
    const scale = Math.min(1, side / Math.max(bitmap.width, bitmap.height));
    const [width, height] = [bitmap.width, bitmap.height].map(each => Math.max(1, Math.round(each * scale)));
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d', { alpha: false });
    context.fillStyle = '#fff';
    context.fillRect(0, 0, width, height);
    context.drawImage(bitmap, 0, 0, width, height);
    return canvas;
}

/** The Blob of a row's preview; null unless its first bytes are those of a small picture. */
export async function blobOfPreview(text) {
    const blob = decoded(text);
    const picture = blob && await pictureIn(blob, MOST_PIXELS);
    return picture && new Blob([blob], { type: picture.type });
}

function decoded(text) {
    try {
        return new Blob([Uint8Array.from(atob(text), character => character.charCodeAt(0))]);
    } catch {
        return null;
    }
}
