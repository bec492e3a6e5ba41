/** Gives what was begun some turns of the event loop: queries, and messages between windows. */
export async function turns(count = 30) {
    for (let turn = 0; turn < count; turn++) await new Promise(resolve => setImmediate(resolve));
}
