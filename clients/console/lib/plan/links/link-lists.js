import { element, fill } from '../../elements.js';
import { openLink } from './link-box.js';
import { openLinkTo } from './link-to.js';
import { linkText } from './words.js';

/**
 * The links of a task for its panel: what it depends on, and what needs it. Each can be opened, and new ones added. A
 * link stays the same element as long as it is shown, so the focus stays in it.
 */
export class LinkLists {
    /** `links`: see LinkEdits. `onGo(id)` leads to a task. */
    constructor(plan, { links, onGo }) {
        Object.assign(this, { plan, links, onGo });
        this._sections = [
            new Section(this, 'to', 'Depends on', 'Add …'), new Section(this, 'from', 'Needed by', 'Link to …'),
        ];
        this.element = element('div', { class: 'plan-details-part' }, this._sections.map(each => each.element));
    }

    show(node) {
        for (const section of this._sections) section.show(node);
        this.element.hidden = this._sections.every(section => section.element.hidden);
    }
}

class Section {
    _items = new Map();

    /** `end` is the end of the links that the task is. */
    constructor(lists, end, title, action) {
        Object.assign(this, { lists, end });
        this._add = element('button', {
            class: 'quiet', text: action, 'aria-haspopup': 'dialog', onclick: () => this.add(this._add),
            'aria-label': end === 'to' ? 'Add what it depends on' : null,
        });
        this._list = element('ul', { class: 'plan-links' });
        this.element = element('section', { class: 'link-section' },
            element('div', { class: 'link-head' }, element('h3', { text: title }), this._add), this._list);
    }

    add(anchor) {
        const { plan, links } = this.lists;
        openLinkTo(anchor, this._node, { links, plan, isBefore: this.end === 'to' });
    }

    show(node) {
        const { plan, links } = this.lists;
        this._node = node;
        const own = plan.links.filter(link => link[this.end] === node);
        this._items = new Map(own.map(link => [link.id, this._items.get(link.id) ?? new Item(this.lists)]));
        for (const link of own) this._items.get(link.id).show(link, this.end === 'to' ? link.from : link.to);
        const items = [...this._items.values()].map(each => each.element);
        if (items.some((item, place) => this._list.children[place] !== item)
            || items.length !== this._list.children.length) fill(this._list, items);
        this._list.hidden = items.length === 0;
        this._add.hidden = !links.can('create');
        this.element.hidden = items.length === 0 && this._add.hidden;
    }
}

class Item {
    constructor({ links, onGo }) {
        this.links = links;
        this._task = element('button', { class: 'link', dir: 'auto', onclick: () => onGo(this._other.task.id) });
        this._kind = element('button', {
            class: 'quiet', 'aria-haspopup': 'dialog', onclick: () => openLink(this._kind, this._link, { links, onGo }),
        });
        this._problem = element('p', { class: 'link-problem' });
        this.element = element('li', {}, this._task, this._kind, this._problem);
    }

    show(link, other) {
        Object.assign(this, { _link: link, _other: other });
        this._task.textContent = other.task.name;
        this._kind.textContent = linkText(link);
        this._kind.setAttribute('aria-label', `${linkText(link)}, link with ${other.task.name}`);
        this._problem.textContent = this.links.problemOf(link) ?? '';
    }
}
