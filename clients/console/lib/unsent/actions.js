import { ask } from '../dialog.js';
import { notify } from '../notices.js';
import { writeAgain } from './again.js';
import { settleInbox } from './twice.js';

/** What can be done with edits that the server did not take. Each says so if it fails. */
export class TroubleActions {
    constructor(context) {
        this.context = context;
    }

    /** Sends refused rows once more. */
    tryAgain() {
        return this._trying(() => this.context.tidemark.sync());
    }

    async giveUp({ collection, id, isNew }) {
        const isSure = await ask({
            title: 'Give the edit up?', action: 'Give up',
            text: isNew ? 'The new row goes, with everything that was written in it.'
                : 'The row is again as the server has it. What was written here is lost.',
        });
        if (isSure) await this._trying(() => this.context.tidemark.giveUp(collection, id));
    }

    writeAgain(collection, copy) {
        return this._trying(async () => {
            await writeAgain(this.context.edits, collection, copy);
            // A deletion has a bar that says so.
            if (copy.status !== 'deleted') notify('It is written again, and goes to the server with the next sync.');
        });
    }

    dismiss(copy) {
        return this._trying(async () => {
            await this.context.tidemark.dismiss(copy.number);
            settleInbox(this.context.tidemark, copy);
        });
    }

    async copy(values) {
        await this._trying(async () => {
            if (!navigator.clipboard) throw new Error('This page may not copy: it needs https or localhost.');
            await navigator.clipboard.writeText(JSON.stringify(values, null, 2));
            notify('The values are copied.');
        });
    }

    async _trying(work) {
        try {
            await work();
        } catch (error) {
            notify(error.detail ?? error.message, 'bad');
        }
    }
}
