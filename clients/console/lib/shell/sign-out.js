import { ask } from '../dialog.js';
import { notify } from '../notices.js';

/** Wipes the copy and ends the session. Asks first if that would lose edits. */
export async function signOut(context) {
    try {
        await context.tidemark.signOut();
    } catch (error) {
        if (error.code !== 'unsent_edits') return notify(error.detail ?? String(error), 'bad');
        const title = 'Sign out and lose unsent edits?';
        const isSure = await ask({ title, text: error.detail, action: 'Discard and sign out', way: 'Stay' });
        if (!isSure) return undefined;
        await context.tidemark.signOut({ discard: true });
    }
    return undefined;
}
