import { deflateSync } from 'node:zlib';

// Files as bytes: real pictures, and what only says that it is one.

const TABLE = Array.from({ length: 256 }, (_, number) => {
    let value = number;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
    return value >>> 0;
});
const crc = bytes => ~bytes.reduce((sum, byte) => TABLE[(sum ^ byte) & 0xff] ^ (sum >>> 8), ~0) >>> 0;

function chunk(kind, data) {
    const body = Buffer.concat([Buffer.from(kind), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc(body));
    return Buffer.concat([length, body, sum]);
}

/** A PNG. With `noise` it can't be compressed, so it is about three bytes a pixel. */
export function png(width, height, { noise = false, more = [] } = {}) {
    const head = Buffer.alloc(13);
    head.writeUInt32BE(width, 0);
    head.writeUInt32BE(height, 4);
    head.set([8, 2, 0, 0, 0], 8);
    const rows = Buffer.alloc(height * (1 + 3 * width));
    let state = 7;
    for (let place = 0; place < rows.length; place += 1) {
        state = (Math.imul(state, 1103515245) + 12345) >>> 0;
        const column = place % (1 + 3 * width);
        rows[place] = column === 0 ? 0 : noise ? state >> 16 : column * 255 / (3 * width);
    }
    const start = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    return Buffer.concat([start, chunk('IHDR', head), ...more, chunk('IDAT', deflateSync(rows)),
        chunk('IEND', Buffer.alloc(0))]);
}

/** Bytes of a PNG that promises so many pixels, and has none. */
export function bomb(width, height) {
    const small = png(1, 1);
    small.writeUInt32BE(width, 16);
    small.writeUInt32BE(height, 20);
    small.writeUInt32BE(crc(small.subarray(12, 29)), 29);
    return small;
}

const SCRIPT = 'localStorage.setItem("pwned", location.href)';
const MARKUP = `<script>${SCRIPT}</script><img src=x onerror='${SCRIPT}'>`;
const GIF = Buffer.from('47494638396101000100800000000000ffffff2c00000000010001000002024401003b', 'hex');

/** Files that run in the console's origin if somebody opens them there as what they claim to be. */
export const HOSTILE = new Map([
    ['page.html', Buffer.from(`<!doctype html>${MARKUP}`)],
    ['page.png', Buffer.from(`<!doctype html>${MARKUP}`)],
    ['drawing.svg', Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload='${SCRIPT}'><script>${SCRIPT}</script></svg>`)],
    ['both.gif', Buffer.concat([GIF, Buffer.from(MARKUP)])],
    ['both.html', Buffer.concat([GIF, Buffer.from(`<html>${MARKUP}`)])],
    ['script.gif', Buffer.from(`GIF89a/*${'\0'.repeat(20)}*/=1;${SCRIPT}`)],
    ['noted.png', png(2, 2, { more: [chunk('tEXt', Buffer.from(`Comment\0${MARKUP}`))] })],
]);
