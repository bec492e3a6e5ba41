import { openMenu } from '../../edit/menu.js';
import { notify } from '../../notices.js';
import { openLink } from './link-box.js';
import { openLinkTo } from './link-to.js';
import { linkText, quoted } from './words.js';

/** What the page of a plan opens for links: at arrows, at rows, and by keys. */
export class LinkControl {
    constructor(page) {
        this.page = page;
    }

    /** Opens a link at a place of the chart. */
    open(link, spot) {
        this._open(link, this.page.chart.anchorAt(spot));
    }

    /** Asks which task is linked with this one. */
    linkTo(node) {
        const { links, chart, plan } = this.page;
        if (links.can('create')) openLinkTo(chart.anchorBelow(node), node, { links, plan });
        else if (links.whyNot) notify(links.whyNot);
    }

    /** Opens the link of a task; if there are several, a menu of them. */
    change(node) {
        const own = this._linksOf(node);
        const anchor = this.page.chart.anchorBelow(node);
        if (own.length === 0) return void notify(`${quoted(node)} has no links.`);
        if (own.length === 1) return this._open(own[0], anchor);
        return openMenu(anchor, 'Links', own.map(link => ({
            text: `${quoted(link.from)} → ${quoted(link.to)}, ${linkText(link)}`, work: () => this._open(link, anchor),
        })), this.page.chart.list.element);
    }

    /** For the menu of a row. */
    itemsFor(node) {
        const { links } = this.page;
        if (links.collection === null) return [];
        const why = links.can('create') ? null : links.whyNot;
        return [
            { text: 'Link to …', keys: 'Alt L', work: () => this.linkTo(node), why },
            {
                text: 'Change a link …', keys: 'Shift Alt L', work: () => this.change(node),
                why: this._linksOf(node).length > 0 ? null : 'It has no links.',
            },
        ];
    }

    _linksOf(node) {
        const { id } = node.task;
        return this.page.plan.links.filter(({ from, to }) => from.task.id === id || to.task.id === id);
    }

    _open(link, anchor) {
        openLink(anchor, link, { links: this.page.links, onGo: id => this.page.goTo(id) });
    }
}
