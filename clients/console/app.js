import { start } from './lib/shell/start.js';

start(document.getElementById('console'));
