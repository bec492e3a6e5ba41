import { element } from '../elements.js';

/** Opens a copy that lives as long as this window does. `open` is that of clients/web. */
export async function openOnlineOnly(open, options) {
    const { OneWindow } = await import('./one-window.js');
    const own = new OneWindow();
    own.begin();
    const tidemark = await open({ ...options, ...own.options });
    addEventListener('beforeunload', event => tidemark.state.unsent > 0 && event.preventDefault());
    addEventListener('pagehide', () => own.end(tidemark));
    return tidemark;
}

/** Stays on every page. */
export const onlineOnlyBanner = () => element('div', { class: 'banner' }, element('p', {
    text: 'Online only: this address is not secure, so nothing is kept once this window is closed.',
}));
