import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Caller } from '../lib/common/caller.js';
import { settled } from './support/clock.js';

test('an ask is never lost, in whichever moment of a call it comes', async () => {
    for (let turns = 0; turns < 15; turns++) {
        let [calls, atOnce] = [0, 0];
        const onChange = async () => {
            calls++;
            assert.equal(++atOnce, 1);
            await null;
            atOnce--;
        };
        const caller = new Caller({ onChange, pulls: { ended: 0 }, reached: () => 0, report: assert.fail });
        caller.signal = new AbortController().signal;
        caller.ask();
        for (let turn = 0; turn < turns; turn++) await null;
        caller.ask();
        await settled();
        assert.equal(calls, 2, `after ${turns} turns`);
    }
});
