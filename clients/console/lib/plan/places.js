// Where a reader was in a plan, so that the way back from another page leads there. It is forgotten with the window.

const places = new Map();
const keyOf = ({ context, project }) => `${context.state.user?.id} ${project}`;

export function placeOf(page) {
    return places.get(keyOf(page)) ?? null;
}

export function keepPlace(page) {
    const { chart, plan } = page;
    if (!chart.scale) return;
    const { scrollLeft, scrollTop } = chart.element;
    places.set(keyOf(page), {
        zoom: chart.zoom, collapsed: plan.collapsed, selected: chart.selected?.task.id ?? null, top: scrollTop,
        day: chart.scale.first + scrollLeft / chart.scale.pixels,
    });
}

/** Scrolls to a place; without one, to where a plan begins to be interesting. */
export function goTo(place, { chart, plan }) {
    const { rows } = plan;
    if (place) {
        chart.reachDay(place.day, 0);
        chart.element.scrollTop = place.top;
    } else {
        chart.scrollToDay(firstDay(rows, chart), isNearToday(rows, chart) ? .3 : .05);
    }
    return plan.node(place?.selected) ?? rows[0];
}

/** Today if one of the first tasks is near it, otherwise the first task's start. */
function firstDay(rows, chart) {
    if (isNearToday(rows, chart)) return chart.today;
    return rows.find(({ bar }) => bar.start !== null)?.bar.start ?? chart.today;
}

function isNearToday(rows, { today, pageRows, scale, canvas }) {
    const days = canvas.clientWidth / scale.pixels;
    return rows.slice(0, pageRows).some(({ children, bar: { start, end } }) =>
        children.length === 0 && start !== null && start < today + days / 2 && end > today - days / 4);
}
