import { element, fill } from '../../elements.js';
import { percentText, spanText } from '../texts.js';

const AWAY = 14;

const critical = ({ isCritical }) => isCritical ? ' · critical' : '';

/** What a bar says under the mouse. The list and the panel say the same to everybody else. */
export class Tip {
    element = element('div', { class: 'plan-tip', hidden: true });

    constructor(plan) {
        this.plan = plan;
    }

    /** Beside `place`, within `box`. Hides for null. */
    show(node, place, box) {
        this.element.hidden = node === null;
        if (node === null) return;
        const { task, bar } = node;
        fill(this.element, element('strong', { text: task.name }),
            element('span', { text: spanText(bar, this.plan.workingDays) }),
            element('span', { class: 'muted', text: `${percentText(bar.percent)} done${critical(bar)}` }));
        const { clientWidth: width, clientHeight: height } = box;
        const { offsetWidth, offsetHeight } = this.element;
        const left = Math.max(4, Math.min(place.x + AWAY, width - offsetWidth - 4));
        const below = place.y + AWAY + offsetHeight < height;
        const top = below ? place.y + AWAY : Math.max(4, place.y - AWAY - offsetHeight);
        this.element.style.transform = `translate(${left}px, ${top}px)`;
    }

    hide() {
        this.element.hidden = true;
    }
}
