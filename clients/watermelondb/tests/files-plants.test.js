import { testsThatCatch } from './support/catching.js';
import { PLANTS } from './support/file-plants.js';
import { FileRun } from './support/file-run.js';

// The random runs must catch each of these mistakes.

testsThatCatch(PLANTS, 40, (seed, { options }) => new FileRun(seed, options).run());
