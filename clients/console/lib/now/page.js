import { chip, element, fill, problem } from '../elements.js';
import { visible } from '../fields/format.js';
import { worded as errorWorded } from '../online.js';
import { pathTo } from '../routes.js';
import { instant, timeOfDay } from '../times.js';
import { FIGURES, Interval, worded } from './figures.js';
import { Plot, showRows } from './plot.js';
import { routes } from './rates.js';
import { verdict } from './verdict.js';

const PAUSE = 2000;
/** Figures need two readings. The second one follows soon. */
const FIRST_PAUSE = 500;

/** What the server does now, for superusers: read every two seconds as long as somebody looks. */
export function open(context) {
    const page = new Now(context);
    page.start();
    return { element: page.element, title: 'Now', close: () => page.stop() };
}

class Now {
    _last = null;

    constructor(context) {
        this.context = context;
        this._about = element('p', { class: 'muted' });
        this._warnings = element('div');
        this._plots = FIGURES.map(figure => [figure, new Plot(figure)]);
        this._routes = element('tbody');
        this._slow = element('tbody');
        this._busy = element('tbody');
        const heads = ['Project', 'Requests', 'Uploads', 'A minute'];
        this._busySection = section('Busiest projects', heads, this._busy, true);
        this.element = element('div', { class: 'sheet now' },
            element('h1', { text: 'Now' }), this._about, this._warnings,
            element('div', { class: 'plots' }, this._plots.map(([, plot]) => plot.element)),
            this._busySection,
            section('Routes', ['Route', 'Requests', 'Half within', '99 % within', 'Faults'], this._routes),
            section('Slowest requests of the last five minutes',
                ['Route', 'Time', 'Status', 'At', 'Request id'], this._slow));
        this._look = () => this._schedule(0);
    }

    start() {
        document.addEventListener('visibilitychange', this._look);
        this._schedule(0);
    }

    stop() {
        document.removeEventListener('visibilitychange', this._look);
        clearTimeout(this._timer);
        this._timer = null;
        this._isStopped = true;
    }

    _schedule(pause) {
        clearTimeout(this._timer);
        if (this._isStopped || document.hidden) return;
        this._timer = setTimeout(() => this._read(), pause);
    }

    async _read() {
        let pause = PAUSE;
        try {
            const status = await this.context.api('GET', '/admin/status/');
            if (this._isStopped) return;
            this._show(status);
            if (this._last === null) pause = FIRST_PAUSE;
            this._last = status;
        } catch (error) {
            this._told = null;
            fill(this._warnings, problem(errorWorded(error)));
        }
        this._schedule(pause);
    }

    _show(status) {
        const warnings = status.warnings.map(text => element('p', { class: 'caution', text }));
        // What was read is not read out again while it stays.
        const told = JSON.stringify([status.causes, status.warnings]);
        if (told !== this._told) fill(this._warnings, verdict(status.causes), warnings);
        this._told = told;
        fill(this._about, `Tidemark ${status.version} on ${status.database}, started `, instant(status.started_at), '.');
        this._showSlow(status.slowest_requests);
        this._showBusiest(status.busiest_projects);
        // A server that was started again, or another one behind the same address, counts for itself.
        if (this._last?.started_at !== status.started_at) return;
        const interval = new Interval(this._last, status);
        if (interval.seconds <= 0) return;
        for (const [figure, plot] of this._plots) {
            const value = figure.of(interval);
            plot.element.hidden = value === null && plot.values.every(each => each === null) && figure.unit !== 'seconds';
            plot.add(value);
        }
        this._showRoutes(routes(interval.before, interval.after, interval.seconds));
    }

    _showRoutes(found) {
        const rows = found.map(({ route, perSecond, median, slow, faults }) => element('tr', {},
            element('th', { scope: 'row', class: 'mono', text: route }),
            number(worded(perSecond, 'perSecond')), number(worded(median, 'seconds')),
            number(worded(slow, 'seconds')),
            element('td', { class: 'number' }, faults > 0 && chip(worded(faults, 'perSecond'), 'bad'))));
        showRows(this._routes, rows, 5, 'No requests just now.');
    }

    /** An older server has none. */
    _showBusiest(projects) {
        this._busySection.hidden = !projects;
        showRows(this._busy, (projects ?? []).map(busyRow), 4, 'No project was asked for in the last minutes.');
    }

    _showSlow(requests) {
        const rows = requests.map(({ method, route, milliseconds, status, at, request_id: id }) => element('tr', {},
            element('th', { scope: 'row', class: 'mono', text: `${method} ${route}` }),
            number(worded(milliseconds / 1000, 'seconds')),
            element('td', { class: 'number' }, chip(status, status >= 500 ? 'bad' : '')),
            element('td', {}, timeOfDay(at)),
            element('td', {}, element('code', { text: id }))));
        showRows(this._slow, rows, 5, 'None took longer than 10 ms.');
    }
}

function busyRow({ project_id: id, project_name: name, requests, uploads, seconds }) {
    return element('tr', {},
        element('th', { scope: 'row' }, element('a', {
            href: `#${pathTo('/plan/:project/members', { project: id })}`, title: id,
        }, element('bdi', { text: visible(name ?? '') || id }))),
        number(worded(requests, 'count')), number(worded(uploads, 'count')),
        number(worded(seconds > 0 ? requests * 60 / seconds : null, 'perMinute')));
}

const number = text => element('td', { class: 'number', text });

const section = (title, heads, body, endsInNumbers = false) => element('section', { 'aria-label': title },
    element('h2', { text: title }),
    element('div', { class: 'wide-table', tabindex: 0, role: 'region', 'aria-label': title },
        element('table', {},
            element('thead', {}, element('tr', {}, heads.map((text, place) => element('th', {
                scope: 'col', class: place > 0 && (endsInNumbers || place < heads.length - 1) && 'number', text,
            })))),
            body)));
