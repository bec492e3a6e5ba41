/**
 * Follows whether the app is in the foreground. `appState` is React Native's `AppState` or a browser's `document`; null
 * for neither. Calls `onChange` with true and false, first at once. Returns what ends that.
 */
export function followForeground(appState, onChange) {
    if (!appState) {
        onChange(true);
        return () => {};
    }
    return 'visibilityState' in appState ? followPage(appState, onChange) : followApp(appState, onChange);
}

function followPage(page, onChange) {
    const tell = () => onChange(page.visibilityState !== 'hidden');
    page.addEventListener('visibilitychange', tell);
    tell();
    return () => page.removeEventListener('visibilitychange', tell);
}

function followApp(app, onChange) {
    const subscription = app.addEventListener('change', state => onChange(state === 'active'));
    // While the app starts, the state is null or `unknown`.
    onChange(!['background', 'inactive'].includes(app.currentState));
    return () => subscription.remove();
}
