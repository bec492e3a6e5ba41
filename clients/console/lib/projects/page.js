import { element, empty, fill, loading } from '../elements.js';
import { pathTo } from '../routes.js';
import { dateText } from '../times.js';

/** All projects of the user. */
export function open(context) {
    const box = element('div', { class: 'projects' });
    let projects = null;
    const show = () => fill(box, projects && (projects.length > 0 || context.state.isComplete)
        ? listed(projects) : loading(waitText(context.state)));
    const stops = [
        // Unsettled: projects come first in a first sync, and whoever waits can open one.
        context.tidemark.live('projects', { unsettled: true }, rows => {
            projects = rows.sort(byName);
            show();
        }),
        context.onState(() => projects?.length === 0 && show()),
    ];
    show();
    return { element: box, title: 'Projects', close: () => stops.forEach(stop => stop()) };
}

const byName = (one, other) => one.is_archived - other.is_archived || one.name.localeCompare(other.name);

function waitText({ progress, isOnline }) {
    if (isOnline === false) return 'Waiting for the network: this browser has no copy of your projects yet.';
    return progress ? `Loading your projects: ${progress.rows} rows so far …` : 'Loading your projects …';
}

function listed(projects) {
    const title = element('h1', { text: 'Projects' });
    if (projects.length === 0) {
        return [title, empty('No projects yet', 'You are a member of no project. Make one over the API, or import a '
            + 'plan with “tidemark import”, and it appears here.')];
    }
    return [title, element('ul', { class: 'list', onkeydown: moveFocus }, projects.map(item))];
}

function item({ id, name, description, start_date: start, is_archived: isArchived }) {
    return element('li', {}, element('a', { href: `#${pathTo('/plan/:project', { project: id })}` },
        element('span', { class: 'name', dir: 'auto', text: name || id }),
        isArchived && element('span', { class: 'chip', text: 'archived' }),
        element('span', { class: 'about muted', text: description }),
        element('span', { class: 'since muted', text: start && `from ${dateText(start)}` })));
}

const STEPS = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };

/** Arrow keys go from link to link. */
function moveFocus(event) {
    const step = STEPS[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const links = [...event.currentTarget.querySelectorAll('a')];
    const here = links.indexOf(document.activeElement);
    links[Math.max(0, Math.min(links.length - 1, here + step))].focus();
    event.preventDefault();
}
