// All that is about parts. It is loaded by a copy that has some, or for the first one: many pages hold everything.
export { NamedParts } from './named.js';
export { Outside } from './outside.js';
export { PartAsked } from './part-asked.js';
export { listParts, namePart, removePart, wantedFilter } from './stored.js';
