import { svg } from '../elements.js';

const line = (d, stroke, width) => svg('path', { d, stroke, 'stroke-width': width, 'stroke-linecap': 'round' });

/**
 * Tidemark's mark, the drawing of icon.svg, without a request that waits behind all files. The name beside it says the
 * same, so screen readers skip it.
 */
export const mark = () => svg('svg', { class: 'mark', viewBox: '0 0 32 32', fill: 'none', 'aria-hidden': 'true' },
    svg('rect', { width: 32, height: 32, rx: 7, fill: '#0b6878' }),
    line('M7 9.5h11', '#fff', 3.6),
    line('M14 16h11', '#8fdbe6', 3.6),
    line('M4.5 23.6c2.9-2.6 4.9-2.6 7.7 0s4.9 2.6 7.6 0 4.8-2.6 7.7 0', '#fff', 2.6));
