import { randomUUID } from 'node:crypto';
import { dateOf, dayOf } from '../../lib/plan/model/days.js';

const KINDS = ['FS', 'FS', 'FS', 'SS', 'FF', 'SF'];
const PHASES = ['Foundations', 'Structure', 'Envelope', 'Services', 'Fit-out', 'Handover'];
const WORK = ['Survey', 'Draw', 'Order', 'Deliver', 'Build', 'Test', 'Repair', 'Document', 'Approve'];
const PARTS = [
    'the north wing', 'the stairs', 'the roof', 'wiring', 'the lift', 'ducts', 'windows', 'the ground floor',
];

/**
 * Rows of a plan with so many tasks: phases with groups of 24 tasks each, where tasks wait for the one before in all
 * four ways. The same number gives the same plan. Ids begin with `prefix`, since they are unique on a server.
 */
export function bigPlan(count, prefix = '') {
    const [tasks, dependencies] = [[], []];
    const start = () => dateOf(dayOf('2026-01-05') + tasks.length % 700);
    const add = (id, values) => tasks.push({ id, planned_start: start(), ...values });
    for (let phase = 1; tasks.length < count; phase += 1) {
        add(`${prefix}p-${phase}`, { name: `${PHASES[phase % PHASES.length]} ${phase}`, wbs_path: `${phase}` });
        for (let group = 1; group <= 20 && tasks.length < count; group += 1) {
            const id = `${prefix}g-${phase}-${group}`;
            const code = `${phase}.${group}`;
            add(id, { name: `Section ${code}`, parent: `${prefix}p-${phase}`, wbs_path: code });
            addGroup({ tasks, dependencies, add, count, prefix, parent: id, code });
        }
    }
    return { tasks, dependencies };
}

function addGroup({ tasks, dependencies, add, count, prefix, parent, code }) {
    for (let number = 1; number <= 24 && tasks.length < count; number += 1) {
        const [id, place] = [`${prefix}t-${code}.${number}`.replaceAll('.', '-'), tasks.length];
        add(id, {
            name: `${WORK[place % WORK.length]} ${PARTS[(place * 7) % PARTS.length]}`,
            parent, wbs_path: `${code}.${number}`,
            duration: number % 12 === 0 ? 0 : 1 + place * 13 % 18, percent_complete: [0, 0, 25, 60, 100][place % 5],
            is_milestone: number % 12 === 0, is_critical: place % 9 < 2,
        });
        const before = tasks[place - 1].id;
        if (number > 1) {
            const dep_type = KINDS[place % KINDS.length];
            dependencies.push({ id: `d-${id}`, predecessor: before, successor: id, dep_type, lag: place % 3 });
        }
    }
}

/** Uploads a plan to a project. */
export async function upload(url, token, project, { tasks, dependencies }) {
    for (const [collection, rows] of Object.entries({ tasks, dependencies })) {
        for (let first = 0; first < rows.length; first += 500) {
            const changes = { [collection]: { created: rows.slice(first, first + 500) } };
            const response = await fetch(`${url}/api/v1/projects/${project}/sync/`, {
                method: 'POST', headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
                body: JSON.stringify({ client_batch_id: randomUUID(), changes }),
            });
            if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
        }
    }
}
