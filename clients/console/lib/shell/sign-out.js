import { ask } from '../dialog.js';
import { notifyError } from '../notices.js';

/** Wipes the copy and ends the session. Asks first if that would lose edits. */
export async function signOut(context) {
    try {
        await context.tidemark.signOut();
    } catch (error) {
        if (error.code !== 'unsent_edits') return notifyError(error);
        const title = 'Sign out and lose edits?';
        const text = lossText(context.state);
        if (!await ask({ title, text, action: 'Discard and sign out', way: 'Stay' })) return undefined;
        await context.tidemark.signOut({ discard: true });
    }
    return undefined;
}

function lossText({ unsent, setAside, filesToSend }) {
    return [
        unsent > 0 && `${counted(unsent, 'edit has', 'edits have')} not reached the server.`,
        filesToSend > 0 && `${counted(filesToSend, 'file has', 'files have')} not reached the server.`,
        setAside > 0 && `${counted(setAside, 'refused edit waits', 'refused edits wait')} for you.`,
        'Signing out removes everything from this browser.',
    ].filter(Boolean).join(' ');
}

const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;
