import { openMenu } from '../../edit/menu.js';
import { notify } from '../../notices.js';
import { linkText, quoted } from './words.js';

/**
 * What the page of a plan opens for links: at arrows, at rows, and by keys. The files of what it opens come once the
 * plan is shown, or when somebody wants it before that.
 */
export class LinkControl {
    _boxes = null;

    constructor(page) {
        this.page = page;
    }

    async load() {
        try {
            const [{ LinkHandles }, box, to] = await Promise.all([
                import('../view/link-handles.js'), import('./link-box.js'), import('./link-to.js'),
            ]);
            this._boxes = { ...box, ...to };
            const { chart, links, isOver } = this.page;
            if (!chart.handles && !isOver) chart.takeHandles(new LinkHandles(chart, { links }));
        } catch (error) {
            notify(`Links can't be shown: ${error.message}`, 'bad');
        }
    }

    /** Opens a link at a place of the chart. */
    open(link, spot) {
        this._open(link, this.page.chart.anchorAt(spot));
    }

    /** Asks which task is linked with this one. */
    async linkTo(node) {
        const { links, chart, plan } = this.page;
        if (!links.can('create')) return links.whyNot && notify(links.whyNot);
        if (!this._boxes) await this.load();
        return this._boxes?.openLinkTo(chart.anchorBelow(node), node, { links, plan });
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

    async _open(link, anchor) {
        if (!this._boxes) await this.load();
        this._boxes?.openLink(anchor, link, { links: this.page.links, onGo: id => this.page.goTo(id) });
    }
}
