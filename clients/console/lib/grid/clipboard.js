/**
 * Calls back with the browser's copy and paste, and with what has the focus, as long as that is in `element`. Firefox
 * asks the body of the document, unless one can type where the focus is. Returns a function that ends it.
 */
export function onClipboard(element, callback) {
    const end = new AbortController();
    const heard = event => {
        const { activeElement: focused } = document;
        if (!event.defaultPrevented && element.contains(focused)) callback(event, focused);
    };
    for (const kind of ['copy', 'paste']) document.addEventListener(kind, heard, { signal: end.signal });
    return () => end.abort();
}
