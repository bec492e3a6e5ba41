import { PLANTS } from './support/base-plants.js';
import { BaseRun } from './support/base-run.js';
import { testsThatCatch } from './support/catching.js';

// The random runs must catch each of these mistakes.

testsThatCatch(PLANTS, 30, (seed, { mix }) => new BaseRun(seed, { mix }).run());
