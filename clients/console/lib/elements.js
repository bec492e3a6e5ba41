// Elements of the page. Text of users comes in as text only: nothing here parses HTML, and no text turns its direction.

/**
 * Makes an element. Of `options`:
 * - `class` and `text` set the class and the text,
 * - `on…` adds a listener: `onclick`, `onkeydown`,
 * - `style` sets single properties: `{ width: '3px', '--depth': 2 }`,
 * - `value`, `checked`, `indeterminate` are set as properties,
 * - everything else is an attribute: true sets an empty one; false, null and undefined set none.
 *
 * Children are nodes or texts. Null and false are left out, lists are taken apart.
 */
export function element(tag, options = {}, ...children) {
    return filled(document.createElement(tag), options, children);
}

const SVG = 'http://www.w3.org/2000/svg';

/** The same for a drawing: `svg('svg', { viewBox: '0 0 16 16' }, svg('path', { d: 'M2 8h12' }))`. */
export function svg(tag, options = {}, ...children) {
    return filled(document.createElementNS(SVG, tag), options, children);
}

/** A line drawing of 16 by 16, in the colour of the text. Hidden from screen readers: name the button around it. */
export function icon(path, options = {}) {
    const drawing = { viewBox: '0 0 16 16', class: 'icon', 'aria-hidden': 'true', ...options };
    return svg('svg', drawing, svg('path', { d: path }));
}

/** Shows exactly these children. */
export function fill(parent, ...children) {
    parent.replaceChildren(...nodes(children).map(shown));
    return parent;
}

/** What a page shows while it waits. */
export const loading = text => element('p', { class: 'loading', role: 'status', text });

/** What a page shows instead of nothing: a heading, a sentence (a text or a list of parts), and what can be done. */
export const empty = (title, text, ...actions) => element('div', { class: 'empty' },
    element('h2', { text: title }), text && element('p', {}, text),
    actions.length > 0 && element('div', { class: 'actions' }, ...actions));

/** An error that a person can act on. `error.detail` is the server's sentence, if it is a TidemarkError. */
export const problem = (error, ...actions) => element('div', { class: 'problem', role: 'alert' },
    element('p', { text: error.detail ?? String(error) }), ...actions);

/** A small word with a colour: `kind` is one of `good`, `warning`, `bad`, `accent`, or none. */
export const chip = (text, kind = '') => element('span', { class: `chip ${kind}`.trim(), text });

/**
 * Text without the marks that turn the direction of what follows: with them `exe.png` can look like `gnp.exe`. Names in
 * other scripts need none of them.
 */
export const withoutTurns = text => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '');

const PROPERTIES = new Set(['value', 'checked', 'indeterminate']);

function filled(made, options, children) {
    for (const [name, value] of Object.entries(options)) set(made, name, value);
    if (children.length > 0) made.append(...nodes(children).map(shown));
    return made;
}

const shown = child => (child instanceof Node ? child : withoutTurns(String(child)));

function set(made, name, value) {
    if (value === undefined || value === null || value === false) return;
    if (name === 'text') made.textContent = withoutTurns(String(value));
    else if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (name === 'style') for (const [key, each] of Object.entries(value)) made.style.setProperty(key, each);
    else if (PROPERTIES.has(name)) made[name] = value;
    else made.setAttribute(name, value === true ? '' : withoutTurns(String(value)));
}

const nodes = children => children.flat(Infinity)
    .filter(child => child !== null && child !== undefined && child !== false);
