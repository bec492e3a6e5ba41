import { element, icon } from '../elements.js';

const KEY = 'tidemark-theme';
const THEMES = ['', 'light', 'dark'];
const NAMES = { '': 'as the system', light: 'light', dark: 'dark' };
const ICONS = {
    '': 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11',
    light: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.5v1.5M8 13v1.5M1.5 8h1.5M13 8h1.5'
        + 'M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M3.4 12.6l1.1-1.1M11.5 4.5l1.1-1.1',
    dark: 'M13.5 9.6A5.8 5.8 0 1 1 6.4 2.5a4.6 4.6 0 0 0 7.1 7.1z',
};

/** A button that goes from the system's scheme to light, to dark, and back. Tells the window by `themechange`. */
export function themeButton() {
    const button = element('button', { class: 'quiet round', onclick: () => choose(next()) });
    const show = () => {
        const name = `Colours: ${NAMES[current()]}`;
        button.replaceChildren(icon(ICONS[current()]));
        button.setAttribute('aria-label', name);
        button.title = name;
    };
    const choose = theme => {
        store(theme);
        show();
        dispatchEvent(new Event('themechange'));
    };
    show();
    return button;
}

const current = () => document.documentElement.dataset.theme ?? '';
const next = () => THEMES[(THEMES.indexOf(current()) + 1) % THEMES.length];

function store(theme) {
    const { dataset } = document.documentElement;
    if (theme) dataset.theme = theme;
    else delete dataset.theme;
    try {
        if (theme) localStorage.setItem(KEY, theme);
        else localStorage.removeItem(KEY);
    } catch {
        // Without storage the choice holds for this page.
    }
}
