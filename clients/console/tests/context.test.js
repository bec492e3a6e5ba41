import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Context } from '../lib/shell/context.js';

/** A copy whose state a test sets, and a server that answers what a test wants. */
class Copy {
    state = { user: null, isSignedIn: false, isOnline: null };
    asked = 0;
    listeners = [];

    onState(callback) {
        this.listeners.push(callback);
        callback(this.state);
        return () => {};
    }

    set(state) {
        this.state = { ...this.state, ...state };
        for (const listener of this.listeners) listener(this.state);
    }

    async request() {
        this.asked += 1;
        return this.answer(this.state.user);
    }
}

const signedIn = { user: { id: 1 }, isSignedIn: true, isOnline: true };

test('the server says once for each user who is a superuser, and nobody is taken for another one', async () => {
    const copy = new Copy();
    copy.answer = ({ id }) => ({ is_superuser: id === 1 });
    const context = new Context(copy);
    const heard = [];
    context.onSuperuser(() => heard.push(context.isSuperuser));
    copy.set(signedIn);
    assert.equal(await context.superuser(), true);
    copy.set({ isSyncing: true });
    assert.equal(await context.superuser(), true);
    copy.set({ user: { id: 2 } });
    assert.equal(context.isSuperuser, false, 'not for a moment');
    assert.equal(await context.superuser(), false);
    assert.deepEqual([copy.asked, heard], [2, [true, false]]);
});

test('an answer that comes after the next user has signed in says nothing of that one', async () => {
    const copy = new Copy();
    let answer;
    copy.answer = ({ id }) => (id === 1 ? new Promise(resolve => { answer = resolve; }) : { is_superuser: false });
    const context = new Context(copy);
    copy.set(signedIn);
    copy.set({ user: { id: 2 } });
    answer({ is_superuser: true });
    assert.equal(await context.superuser(), false);
    assert.equal(context.isSuperuser, false);
});

test('without a network nothing is known, and it is asked again with one', async () => {
    const copy = new Copy();
    copy.answer = () => { throw new Error('network'); };
    const context = new Context(copy);
    copy.set({ ...signedIn, isOnline: false });
    assert.equal(await context.superuser(), null);
    copy.answer = () => ({ is_superuser: true });
    copy.set({ isOnline: true });
    assert.equal(await context.superuser(), true);
});

test('what was done can be taken back until the user changes, whether the server answers or not', async () => {
    const copy = new Copy();
    copy.answer = () => { throw new Error('network'); };
    copy.edit = async ([{ id }]) => [{ id, before: { id, name: 'Old' }, after: { id, name: 'New' }, left: [], error: null }];
    const context = new Context(copy);
    copy.set(signedIn);
    const changes = [{ collection: 'tasks', id: 't', update: { name: 'New' } }];
    await context.edits.apply({ name: 'Rename', changes });
    await context.superuser();
    copy.set({ isOnline: false });
    assert.equal(context.edits.undoName, 'Rename');
    copy.set({ user: { id: 2 } });
    assert.equal(context.edits.undoName, null);
});
