// Mistakes that the random runs of parts must catch, each with a mix of what happens that brings it out.
import { Outside } from '../../lib/parts/outside.js';
import { PartAsked } from '../../lib/parts/part-asked.js';
import { replacing } from './plants.js';

export const PLANTS = {
    'a row that leaves is forgotten': {
        mix: { steps: 'esso', others: 'e', kill: 40 },
        plant: replacing(Outside, 'leave', async () => {}),
    },

    'an edit leaves with its row': {
        mix: { steps: 'eesoo', others: 'e', kill: 40 },
        plant: replacing(Outside, 'leave', async function leave(record) {
            this.rows.remove(record);
        }),
    },

    'an edit leaves with its project': {
        isUserWide: true,
        mix: { steps: 'eesoo', others: 'eaaa', kill: 40 },
        plant: replacing(Outside, 'leaveProjects', async function leave(projects) {
            for (const project of projects) {
                for (const record of await this.rows.ofProject(project)) this.rows.remove(record);
            }
        }),
    },

    'rows of a project that leaves are forgotten': {
        isUserWide: true,
        mix: { steps: 'esoo', others: 'eaaa', kill: 40 },
        plant: replacing(Outside, 'leaveProjects', async () => {}),
    },

    'a row outside stays when its edit is answered': {
        mix: { steps: 'eesoo', others: 'e', kill: 40 },
        plant: replacing(Outside, 'clear', async () => {}),
    },

    'another filter is asked for after a drain that was cut': {
        mix: { steps: 'esso', others: 'e', kill: 40, cuts: 3 },
        plant: replacing(PartAsked, 'goal', function goal(state) {
            return this.wanted(state);
        }),
    },

    'the filter of the watermark is taken for the wanted one': {
        mix: { steps: 'esso', others: 'e', kill: 40 },
        plant: replacing(PartAsked, 'query', function query(state) {
            const goal = this.goal(state);
            return goal === '{}' ? {} : { filter: goal, filter_was: state.since > 0 ? 'same' : null };
        }),
    },
};
