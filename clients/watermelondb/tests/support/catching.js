import assert from 'node:assert/strict';
import { test } from 'node:test';

/** Plants a mistake by replacing a method, and returns what undoes it. `change` gets the original method. */
export const replacing = (type, name, change) => () => {
    const original = Object.getOwnPropertyDescriptor(type.prototype, name);
    const value = change(original.value);
    Object.defineProperty(type.prototype, name, { configurable: true, writable: true, value });
    return () => Object.defineProperty(type.prototype, name, original);
};

/** A test for each of these mistakes: one of so many random runs must catch it. `run(seed, planted)` is a run. */
export function testsThatCatch(plants, mostRuns, run) {
    for (const [mistake, planted] of Object.entries(plants)) {
        test(`it is caught when ${mistake}`, async t => {
            const undo = planted.plant();
            try {
                for (let seed = 1; seed <= mostRuns; seed++) {
                    const caught = await run(seed, planted).then(() => null, error => error);
                    if (!caught) continue;
                    t.diagnostic(`by seed ${seed}: ${caught.message.split('\n')[0]}`);
                    return;
                }
                assert.fail(`${mostRuns} runs have not caught it.`);
            } finally {
                undo();
            }
        });
    }
}
