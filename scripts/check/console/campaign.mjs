// Random edits in two windows of the console and on a phone, with cuts and kills: see scripts/check-console.
//   node campaign.mjs --seeds N       seeds 1 to N
//   node campaign.mjs --seed S        one seed; with --seeds N that one and those that follow
//   node campaign.mjs --plants        each planted mistake must be found within MOST seeds
//   node campaign.mjs --plant TEXT    only those whose names have the text
import { MIXES, PLANTS } from '../../../clients/console/tests/campaign/plants.js';
import { runSeed } from '../../../clients/console/tests/campaign/run.js';
import { Stuck } from '../../../clients/console/tests/campaign/tab.js';

const MOST = 12;

const clock = () => new Date().toTimeString().slice(0, 8);

const { seeds, seed, plants } = options(process.argv.slice(2));
process.exit(plants === null ? await runAll() : await findAll(plants));

function options(words) {
    const found = { seeds: 1, seed: 1, plants: null };
    for (let place = 0; place < words.length; place += 1) {
        const name = words[place].replace('--', '');
        if (name === 'plants') found.plants = '';
        else if (name === 'plant' && words[place + 1]) found.plants = words[place += 1];
        else if (['seeds', 'seed'].includes(name) && words[place + 1] > 0) found[name] = Number(words[place += 1]);
        else {
            console.error(`Not an option: ${words[place]}. There are --seeds N, --seed S, --plants and --plant TEXT.`);
            process.exit(2);
        }
    }
    return found;
}

async function runAll() {
    const failed = [];
    const total = {};
    for (let each = seed; each < seed + seeds; each += 1) {
        const begun = Date.now();
        try {
            const figures = await runSeed(each);
            for (const [name, count] of Object.entries(figures)) total[name] = (total[name] ?? 0) + count;
            console.log(`ok   seed ${each}, ${((Date.now() - begun) / 1000).toFixed(1)} s: ${JSON.stringify(figures)}`);
        } catch (error) {
            failed.push(each);
            console.log(`FAIL seed ${each}: ${error.stack}`);
        }
    }
    console.log(`${seeds - failed.length} of ${seeds} seeds: all are equal, nothing is lost. ${JSON.stringify(total)}`);
    if (failed.length > 0) console.log(`Failed: ${failed.join(' ')}. Repeat one with scripts/check-console --seed S`);
    return failed.length > 0 ? 1 : 0;
}

async function findAll(text) {
    let missed = 0;
    for (const [mistake, plant] of Object.entries(PLANTS).filter(([name]) => name.includes(text))) {
        console.log(`     ${mistake}, ${clock()}`);
        const found = await firstThatFinds({ plant, mix: MIXES[mistake] });
        if (!found) missed += 1;
        const how = found ? `seed ${found.seed}: ${found.error.message.split('\n')[0].slice(0, 140)}` : 'not found';
        console.log(`${found ? 'ok  ' : 'FAIL'} ${mistake}, ${clock()}: ${how}`);
    }
    return missed > 0 ? 1 : 0;
}

/** A seed that is stuck finds nothing: nobody could say what is wrong. */
async function firstThatFinds(options) {
    for (let each = seed; each < seed + MOST; each += 1) {
        const error = await runSeed(each, options).then(() => null, failure => failure);
        if (error && !(error instanceof Stuck)) return { seed: each, error };
        console.log(`     seed ${each}, ${clock()}: ${error ? error.message.slice(0, 200) : 'nothing found'}`);
    }
    return null;
}
