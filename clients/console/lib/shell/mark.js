import { element } from '../elements.js';

/** Tidemark's mark. The name beside it says the same, so screen readers skip the picture. */
export const mark = () => element('img', { class: 'mark', src: 'icon.svg', alt: '', width: 22, height: 22 });
