// What happened between two readings of the server's metrics.

/** The metrics of a reading by name: lists of samples. */
export function byName(status) {
    const families = new Map();
    for (const sample of status.metrics) {
        if (!families.has(sample.name)) families.set(sample.name, []);
        families.get(sample.name).push(sample);
    }
    return families;
}

const keyOf = labels => JSON.stringify(Object.entries(labels).sort());

/** The sum of a family's values, of those whose labels `isMeant` accepts; null if there is none. */
export function total(families, name, isMeant = () => true) {
    const samples = (families.get(name) ?? []).filter(({ labels }) => isMeant(labels));
    return samples.length > 0 ? samples.reduce((sum, { value }) => sum + value, 0) : null;
}

/** How much a counter has grown a second. A server that was started again counts from 0. */
export function rate(before, after, seconds, name, isMeant) {
    const [one, other] = [total(before, name, isMeant), total(after, name, isMeant)];
    if (other === null || seconds <= 0) return null;
    return (other >= (one ?? 0) ? other - (one ?? 0) : other) / seconds;
}

/** The values that a histogram counted between two readings, over all of its samples that are meant. */
export function counted(before, after, name, isMeant = () => true) {
    const old = new Map((before.get(name) ?? []).map(sample => [keyOf(sample.labels), sample]));
    const sum = { count: 0, buckets: [] };
    for (const sample of (after.get(name) ?? []).filter(({ labels }) => isMeant(labels))) {
        const past = old.get(keyOf(sample.labels));
        const known = past && past.count <= sample.count ? past : null;
        sum.count += sample.count - (known?.count ?? 0);
        for (const [place, { le, count }] of sample.buckets.entries()) {
            sum.buckets[place] ??= { le, count: 0 };
            sum.buckets[place].count += count - (known?.buckets[place].count ?? 0);
        }
    }
    return sum;
}

/**
 * The value that this share of the counted values does not exceed, interpolated within its bucket; null if nothing was
 * counted, and the last bound if it lies above that.
 */
export function quantile({ count, buckets }, share) {
    if (count === 0) return null;
    const wanted = share * count;
    let [below, floor] = [0, 0];
    for (const { le, count: upTo } of buckets) {
        if (upTo >= wanted) return floor + (le - floor) * (wanted - below) / (upTo - below);
        [below, floor] = [upTo, le];
    }
    return floor;
}

/** Routes with what was asked of them between two readings, the busiest first. */
export function routes(before, after, seconds) {
    const names = new Set((after.get('tidemark_http_requests_total') ?? []).map(({ labels }) => labels.route));
    return [...names].map(route => {
        const isOf = labels => labels.route === route;
        const isFault = labels => isOf(labels) && labels.status >= '500';
        const times = counted(before, after, 'tidemark_http_request_duration_seconds', isOf);
        return {
            route, perSecond: rate(before, after, seconds, 'tidemark_http_requests_total', isOf) ?? 0,
            faults: rate(before, after, seconds, 'tidemark_http_requests_total', isFault) ?? 0,
            median: quantile(times, .5), slow: quantile(times, .99),
        };
    }).filter(({ perSecond }) => perSecond > 0).sort((one, other) => other.perSecond - one.perSecond);
}
