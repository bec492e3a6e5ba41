import { element, empty, loading } from '../elements.js';

/** What a table shows without rows. `all` is how many there are without search and filters; `why`,
why none can be made. */
export function nothing({ collection, all, state, why, onClear, onAdd }) {
    if (all > 0) {
        return empty('Nothing matches', `None of the ${all.toLocaleString()} rows is like this.`,
            element('button', { text: 'Clear search and filters', onclick: onClear }));
    }
    if (!state.isComplete) {
        return loading(state.isOnline === false ? 'Waiting for the network: the first sync is not done yet.'
            : 'Loading the rows …');
    }
    return empty(`No ${collection.title.toLowerCase()} yet`, collection.document.description ?? '',
        why === null && element('button', { class: 'primary', text: `New ${collection.singular}`, onclick: onAdd }));
}
