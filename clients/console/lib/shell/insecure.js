import { element } from '../elements.js';
import { mark } from './mark.js';

/** Says what to do where the browser allows no offline copy. `onGoOn` begins without one. */
export function insecurePage({ hostname, port }, onGoOn) {
    const there = port || '80';
    return element('main', { class: 'card insecure', id: 'page', tabindex: -1 },
        mark(),
        element('h1', { text: 'This address is not secure' }),
        element('p', { text: 'The console keeps a copy of your projects in the browser, and works offline. Browsers '
            + 'allow that only on pages from https:// or from localhost.' }),
        element('p', { text: 'Do one of these:' }),
        element('ul', {},
            element('li', { text: 'Ask whoever runs the server for its https:// address.' }),
            element('li', {},
                'Run the server with a certificate, or behind a proxy that has one:',
                element('code', { text: 'tidemark serve --tls-certificate cert.pem --tls-key key.pem' })),
            element('li', {},
                'Make a tunnel, and open its end:',
                element('code', { text: `ssh -L ${there}:127.0.0.1:${there} ${hostname}` }),
                element('code', { text: `http://localhost:${there}/console/` }))),
        element('p', { text: 'You can also go on without a copy. You then sign in each time, and whoever is on the way '
            + 'to the server can read your password and your data.' }),
        element('div', { class: 'actions' }, element('button', { text: 'Go on without a copy', onclick: onGoOn })));
}
