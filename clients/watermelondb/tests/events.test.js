import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventParser } from '../lib/common/events.js';

// https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

const bytes = text => new TextEncoder().encode(text);

/** The events of a text that comes in these chunks. */
function read(...chunks) {
    const parser = new EventParser();
    const events = chunks.flatMap(chunk => parser.push(typeof chunk === 'string' ? bytes(chunk) : chunk));
    return { parser, events, shown: events.map(({ type, data }) => `${type}|${data}`) };
}

const SAMPLE = [
    '\ufeff: a comment\r\n', 'retry: 1234\n', 'event: hello\rdata: {"a": 1}\n\n',
    'id: 57\nevent: poke\r\ndata:{"Straße 🚢": 1}\r\ndata\ndata:  x\n\r\n',
    ':\n\n', 'unknown: field\nevent: ping\ndata: {}\n\r',
    'data: cut off',
].join('');
const SHOWN = ['hello|{"a": 1}', 'poke|{"Straße 🚢": 1}\n\n x', 'ping|{}'];

test('a stream may be cut between any two bytes', () => {
    const all = bytes(SAMPLE);
    for (let cut = 0; cut <= all.length; cut++) {
        const { shown, parser } = read(all.slice(0, cut), all.slice(cut));
        assert.deepEqual(shown, SHOWN, `cut at ${cut}`);
        assert.deepEqual([parser.lastEventId, parser.retry], ['57', 1234]);
    }
});

test('it may come byte by byte, and with empty chunks', () => {
    assert.deepEqual(read(...Array.from(bytes(SAMPLE), byte => Uint8Array.of(byte))).shown, SHOWN);
    assert.deepEqual(read(...Array.from(bytes(SAMPLE), byte => [Uint8Array.of(byte), new Uint8Array()]).flat()).shown,
        SHOWN);
});

test('an event that ends with a carriage return does not wait for what follows', () => {
    assert.deepEqual(read('data: a\r\r').shown, ['message|a']);
    assert.deepEqual(read('data: a\r\r', '\ndata: b\r', '\n\r\n').shown, ['message|a', 'message|b']);
});

test('an event without data is none, and its id counts', () => {
    const { shown, parser } = read('event: poke\nid: 5\n\ndata: x\n\n');
    assert.deepEqual([shown, parser.lastEventId], [['message|x'], '5']);
});

test('an event that was cut off is none, and neither is its id', () => {
    const { shown, parser } = read('id: 5\ndata: x\n\nid: 6\ndata: y\n');
    assert.deepEqual([shown, parser.lastEventId], [['message|x'], '5']);
});

test('data without a value is an empty line', () => {
    assert.deepEqual(read('data\n\n', 'data\ndata\n\n', 'data:\n\n').shown, ['message|', 'message|\n', 'message|']);
});

test('one space after the colon goes', () => {
    assert.deepEqual(read('data:a\n\ndata: a\n\ndata:  a\n\n').shown, ['message|a', 'message|a', 'message| a']);
});

test('an id with U+0000 and a retry that is not a number are ignored', () => {
    const { parser } = read('id: 5\ndata: x\n\nid: 6\0\nretry: 1s\nretry:\ndata: x\n\n');
    assert.deepEqual([parser.lastEventId, parser.retry], ['5', null]);
});

test('an empty id removes the last one', () => {
    assert.equal(read('id: 5\ndata: x\n\nid\ndata: x\n\n').parser.lastEventId, '');
});

test('only the first byte order mark goes', () => {
    assert.deepEqual(read('\ufeffdata: a\n\n\ufeffdata: b\n\ndata: c\n\n').shown, ['message|a', 'message|c']);
});

test('a line without an end is not collected for ever', () => {
    const parser = new EventParser();
    const chunk = bytes('x'.repeat(1_000_000));
    assert.throws(() => { for (let count = 0; count < 6; count++) parser.push(chunk); }, { code: 'invalid_answer' });
});
