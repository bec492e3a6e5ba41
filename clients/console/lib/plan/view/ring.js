import { element } from '../../elements.js';
import { boxOf, SIZES } from './geometry.js';

const ROOM = 3;

/** A frame round the bar of the selected task. It is an element, so it is there with forced colours, too. */
export class Ring {
    element = element('div', { class: 'plan-ring', hidden: true });

    show({ selected, scale, x, y, width, height }) {
        const box = selected?.index >= 0 ? boxOf(selected, selected.index, scale) : null;
        const bottom = y + height - SIZES.head;
        const isSeen = box && box.right > x && box.left < x + width && box.bottom > y && box.top < bottom;
        this.element.hidden = !isSeen;
        if (!isSeen) return;
        const { style } = this.element;
        style.width = `${box.right - box.left + 2 * ROOM}px`;
        style.height = `${box.bottom - box.top + 2 * ROOM}px`;
        style.transform = `translate(${box.left - x - ROOM}px, ${box.top - y + SIZES.head - ROOM}px)`;
    }
}
