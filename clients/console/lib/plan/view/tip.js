import { element, fill } from '../../elements.js';
import { percentText, spanText } from '../texts.js';

const AWAY = 14;

const marks = ({ isCritical, isOverdue }) => `${isCritical ? ' · critical' : ''}${isOverdue ? ' · overdue' : ''}`;

/** What a bar says under the mouse. The list and the panel say the same to everybody else. */
export class Tip {
    element = element('div', { class: 'plan-tip', hidden: true });

    constructor(plan) {
        this.plan = plan;
    }

    /** Beside `place`, within `box`. Hides for null. */
    show(node, place, box) {
        if (node === null) return void this.hide();
        const { task, bar } = node;
        const done = `${percentText(bar.percent)} done${marks(bar)}`;
        this.say([task.name, spanText(bar, this.plan.workingDays), done], place, box);
    }

    /** A title, a line, one that matters less, and what is wrong. */
    say([title, line, last, wrong], place, box) {
        this.element.hidden = false;
        fill(this.element, element('strong', { text: title }), element('span', { text: line }),
            last && element('span', { class: 'muted', text: last }),
            wrong && element('span', { class: 'link-problem', text: wrong }));
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
