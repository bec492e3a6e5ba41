// What is needed once something was edited, and not before a page is shown: see `Edits.load`.
export { Back, hiddenRows } from './back.js';
export { blockedText, deletionLines, reportText } from './sentences.js';
export { againOf, withIDs } from './turned.js';
