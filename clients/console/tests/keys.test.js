import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandOf } from '../lib/plan/list/keys.js';

const press = (key, modifiers = {}) => commandOf({ key, ...modifiers });

test('arrows walk, and with Alt they edit', () => {
    assert.deepEqual(press('ArrowDown'), { name: 'go', step: 1 });
    assert.deepEqual(press('ArrowLeft'), { name: 'close', step: -1 });
    assert.deepEqual(press('ArrowLeft', { altKey: true }), { name: 'move', step: -1 });
    assert.deepEqual(press('ArrowRight', { altKey: true, shiftKey: true }), { name: 'lengthen', step: 1 });
    assert.deepEqual(press('ArrowUp', { altKey: true }), { name: 'lift', step: -1 });
    assert.deepEqual(press('ArrowRight', { shiftKey: true }), { name: 'extendAside', step: 1 });
});

test('the keys of a table are the list\'s, too', () => {
    for (const key of ['Enter', 'F2', ' ']) assert.deepEqual(press(key), { name: 'edit', typed: null });
    for (const key of ['a', 't', '+', '5', 'Ä']) assert.deepEqual(press(key), { name: 'edit', typed: key });
    assert.deepEqual(press('Enter', { ctrlKey: true }), { name: 'show', step: 0 });
    assert.deepEqual(press('Delete', { ctrlKey: true }), { name: 'remove', step: 0 });
    assert.deepEqual(press('Delete'), { name: 'empty', step: 0 });
    assert.deepEqual(press('Home', { ctrlKey: true }), { name: 'go', step: -Infinity });
    assert.deepEqual(press('F10', { shiftKey: true }), press('ContextMenu'));
});

test('keys of the browser stay the browser\'s', () => {
    for (const modifiers of [{ ctrlKey: true }, { metaKey: true }, { ctrlKey: true, altKey: true }]) {
        assert.equal(press('ArrowLeft', modifiers), null);
        assert.equal(press('+', modifiers), null);
    }
    assert.equal(press('Tab'), null);
    assert.equal(press('constructor'), null);
});
