// The order of tasks below one parent, and ranks for new places in it. Pure: nothing here reads or writes rows.
export { compareSiblings, inOrder, isRank, orderKey } from './key.js';
export { Placing, spread } from './placing.js';
