import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandOf } from '../lib/plan/keys.js';

const press = (key, modifiers = {}) => commandOf({ key, ...modifiers });

test('arrows walk, and with Alt they edit', () => {
    assert.deepEqual(press('ArrowDown'), { name: 'go', step: 1 });
    assert.deepEqual(press('ArrowLeft'), { name: 'close', step: -1 });
    assert.deepEqual(press('ArrowLeft', { altKey: true }), { name: 'move', step: -1 });
    assert.deepEqual(press('ArrowRight', { altKey: true, shiftKey: true }), { name: 'lengthen', step: 1 });
    assert.deepEqual(press('ArrowRight', { shiftKey: true }), { name: 'pan', step: 1 });
});

test('keys of the browser stay the browser\'s', () => {
    for (const modifiers of [{ ctrlKey: true }, { metaKey: true }, { ctrlKey: true, altKey: true }]) {
        assert.equal(press('ArrowLeft', modifiers), null);
        assert.equal(press('+', modifiers), null);
    }
    assert.equal(press('ArrowUp', { altKey: true }), null);
    assert.equal(press('Tab'), null);
    assert.equal(press('constructor'), null);
});
