import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mediaTypeOf, nameOfRow, nameOnDisk } from '../lib/files/names.js';
import { pictureIn } from '../lib/files/pixels.js';
import { stateOf } from '../lib/files/states.js';
import { HOSTILE, bomb, png } from './support/pictures.js';

// What files are by their bytes, how they are called, and how they stand: without a browser.

const blob = (...parts) => new Blob(parts.map(part => (typeof part === 'string' ? part : Uint8Array.from(part))));
const size = async (...parts) => {
    const found = await pictureIn(blob(...parts));
    return found && [found.type.slice(6), found.width, found.height];
};

test('the size of a picture is read from its head, before anything decodes it', async () => {
    assert.deepEqual(await size(png(600, 400)), ['png', 600, 400]);
    const gif = [...Buffer.from('GIF89a'), 3, 0, 2, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255];
    const frame = [0x2c, 0, 0, 0, 0, 3, 0, 2, 0, 0];
    assert.deepEqual(await size(gif, frame), ['gif', 3, 2]);
    const comment = [0x21, 0xfe, 2, 65, 66, 1, 67, 0];
    assert.deepEqual(await size(gif, comment, comment, frame), ['gif', 3, 2], 'behind extensions');
    assert.deepEqual(await size(gif, [0x2c, 1, 0, 0, 0, 0x10, 7, 0x10, 7, 0]), ['gif', 1809, 1808],
        'a frame that is larger than its screen');
    const jpeg = [0xff, 0xd8, 0xff, 0xe1, 0, 4, 1, 2, 0xff, 0xff, 0xc4, 0, 3, 9, 0xff, 0xc2, 0, 17, 8, 1, 2, 3, 4, 3];
    assert.deepEqual(await size(jpeg), ['jpeg', 0x304, 0x102]);
    const webp = (...rest) => ['RIFF\x10\0\0\0WEBP', ...rest];
    assert.deepEqual(await size(...webp('VP8X', [10, 0, 0, 0, 0, 0, 0, 0, 0x57, 2, 0, 0x8f, 1, 0])), ['webp', 600, 400]);
    assert.deepEqual(await size(...webp('VP8L', [9, 0, 0, 0, 0x2f, 0x57, 0xc2, 0x63, 0])), ['webp', 600, 400]);
    assert.deepEqual(await size(...webp('VP8 ', [9, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 0x58, 2, 0x90, 1])),
        ['webp', 600, 400]);
});

test('what is no whole head of a picture is none, wherever it breaks off', async () => {
    const heads = [png(600, 400).subarray(0, 24), [0xff, 0xd8, 0xff, 0xc0, 0, 17, 8, 1, 2, 3, 4]];
    for (const head of heads) {
        assert.notEqual(await size(head), null);
        for (let end = 0; end < head.length; end += 1) assert.equal(await size(head.slice(0, end)), null, `${end}`);
    }
    assert.equal(await size([0xff, 0xd8, 0xff, 0xda, 0, 2]), null, 'a JPEG whose picture comes before its size');
    assert.equal(await size([0xff, 0xd8, ...Array(100).fill(0xff)]), null);
    assert.equal(await size('GIF89a', Array(2000).fill(0x21)), null);
    assert.equal(await size(''), null);
});

test('what promises too many pixels is none', async () => {
    assert.notEqual(await size(bomb(8000, 8000)), null);
    for (const [width, height] of [[8001, 8000], [50_000, 50_000], [0x7fffffff, 0x7fffffff], [0, 5], [5, 0]]) {
        assert.equal(await size(bomb(width, height)), null, `${width} by ${height}`);
    }
});

test('HTML and SVG are no pictures, whatever they are called', async () => {
    for (const name of ['page.html', 'page.png', 'drawing.svg', 'script.gif']) {
        assert.equal(await size(HOSTILE.get(name)), null, name);
    }
    assert.deepEqual(await size(HOSTILE.get('both.html')), ['gif', 1, 1], 'a picture with markup behind it');
});

test('a name on a disk leads nowhere else, hides nothing and is no device', () => {
    const names = {
        '../../etc/passwd': '_.._etc_passwd', 'C:\\boot.ini': 'C__boot.ini', '\u202egnp.exe': 'gnp.exe',
        'photo\u2066.jpg\u2069': 'photo.jpg', 'a\u0000b\r\nc\u0007.txt': 'abc.txt', '.bashrc': 'bashrc', '..': 'file',
        '   ': 'file', 'con.txt': '_con.txt', 'NUL': '_NUL', 'console.txt': 'console.txt', 'a<b>|c?.md': 'a_b__c_.md',
        'plan. ': 'plan', 'Grüße – 日本.pdf': 'Grüße – 日本.pdf',
    };
    for (const [name, expected] of Object.entries(names)) assert.equal(nameOnDisk(name), expected, JSON.stringify(name));
    const long = nameOnDisk(`${'é'.repeat(255)}.jpeg`);
    assert.ok(Buffer.byteLength(long) <= 200 && long.endsWith('é.jpeg'), long);
    assert.ok(Buffer.byteLength(nameOnDisk('👩‍👩‍👧‍👦'.repeat(40))) <= 200);
});

test('a row gets a name that the server takes', () => {
    assert.equal(nameOfRow('slipway.png'), 'slipway.png');
    assert.equal(nameOfRow(' \u0000 '), 'Untitled');
    const long = nameOfRow(`${'😀'.repeat(300)}.png`);
    assert.ok([...long].length === 255 && long.endsWith('😀.png'));
    assert.equal([...nameOfRow('x'.repeat(400))].length, 255);
    assert.equal([...nameOfRow(`x.${'y'.repeat(400)}`)].length, 255, 'what has a point early has no kind to keep');
});

test('a media type that is none is not claimed', () => {
    assert.equal(mediaTypeOf({ type: 'image/svg+xml' }), 'image/svg+xml');
    for (const type of ['', 'text', 'a/b; c=d', `${'x'.repeat(100)}/y`]) assert.equal(mediaTypeOf({ type }), undefined, type);
});

test('how a file stands is said in words that one can act on', () => {
    const row = { file: 'f', state: 'pending', _status: 'synced' };
    const text = (values, of = row) => {
        const { kind, text: said } = stateOf(of, values);
        return `${kind}: ${said}`;
    };
    assert.equal(text({ entry: { state: 'waiting', reason: null }, isOnline: false }), 'waiting: Waits for a network');
    assert.equal(text({ entry: { state: 'waiting', reason: null }, isOnline: true }), 'waiting: Waits to be sent');
    assert.match(text({ entry: { state: 'waiting', reason: 'disk_full' }, isOnline: true }), /^waiting: The disk/);
    assert.equal(text({ entry: { state: 'sending', sent: 5, size: 12 }, isOnline: true }), 'sending: Sending, 41 %');
    assert.equal(text({ entry: { state: 'sending', sent: 5, size: 12 }, isOnline: false }),
        'waiting: Waits for a network, 41 % sent');
    assert.equal(text({ entry: { state: 'sending', sent: 0, size: 0 } }), 'sending: Sending, 0 %');
    assert.match(text({ entry: { state: 'failed', reason: 'quota_exceeded' } }), /no room .* then try again/);
    assert.equal(text({ entry: { state: 'failed', reason: 'new_code', detail: 'Because of it.' } }), 'failed: Because of it.');
    assert.equal(stateOf(row, { entry: { state: 'failed', reason: 'forbidden' } }).canRetry, true);
    assert.equal(stateOf(row, { entry: { state: 'failed', reason: 'bytes_lost' } }).canRetry, false);
    assert.equal(text({ entry: { state: 'stored' } }), 'stored: Sent');
    assert.equal(text({}, { ...row, state: 'stored' }), 'stored: ');
    assert.match(text({ author: 'Bob' }), /^elsewhere: Only on a device of Bob/);
    assert.match(text({ isOwn: true }), /^elsewhere: Only on another device of yours/);
    assert.equal(text({}, { ...row, state: 'in_review' }), 'elsewhere: In review');
    assert.equal(text({}, { ...row, file: null }), 'none: It has no file.');
    assert.equal(text({ reasons: ['It is too long.'] }), 'failed: The server refuses it: It is too long.');
});
