/** How the sync goes, in a few words, and how good that is: `good`, `busy`, `warning` or `bad`. */
export function summaryOf(state) {
    const { isSignedIn, isOnline, isSyncing, isComplete, progress, refused, setAside, error } = state;
    const trouble = refused.length + setAside;
    if (!isSignedIn) return { text: joined('Signed out', unsentText(state)), kind: 'bad' };
    if (trouble > 0) return { text: joined(`${trouble} not taken`, offlineText(isOnline)), kind: 'bad' };
    if (isOnline === false) return { text: joined(sinceText(state), unsentText(state)), kind: 'warning' };
    if (error) return { text: joined('Problem', unsentText(state)), kind: 'bad' };
    if (!isComplete && progress) return { text: progressText(progress), kind: 'busy' };
    if (unsentText(state)) return { text: unsentText(state), kind: 'busy' };
    return { text: isSyncing || isOnline === null ? 'Syncing' : 'In sync', kind: isOnline === null ? 'busy' : 'good' };
}

const joined = (...parts) => parts.filter(Boolean).join(' · ');
const unsentText = ({ unsent, filesToSend: files }) =>
    joined(unsent > 0 && `${unsent} unsent`, files > 0 && `${files} ${files === 1 ? 'file' : 'files'} to send`);
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const sinceText = ({ offlineSince }) => (offlineSince ? `Offline since ${TIME.format(offlineSince)}` : 'Offline');
const offlineText = isOnline => isOnline === false ? 'offline' : '';

/** The total is an estimate, so it never says more than all. */
const progressText = ({ rows, total }) => total > 0
    ? `Loading ${Math.min(99, Math.floor(100 * rows / total))} %` : `Loading ${rows} rows`;
