// Why there is no answer, or one that is not Tidemark's, and what to do. Tests/Vectors/trouble.json has the sentences
// that all clients share.

const CHECK = 'Check the address and its port, and whether this network asks for a log-in or has a proxy on the way.';
const unreachable = reason => `The server can't be reached: ${reason}.`;
const broken = reason => `The connection broke: ${reason}.`;
const untrusted = reason => `The server can't be trusted: its certificate ${reason}.`;

const REFUSED = unreachable('the connection was refused. Check the address and its port, and that the server runs');
const NO_ROUTE = unreachable('there is no route to it from this network. Check the network and the address');
const NO_ANSWER = broken(
    'the server closed it without an answer. If it speaks HTTPS, use `https://`; otherwise check the port');
const NOT_HTTP = broken(
    'the response is not HTTP. Something else listens there: check the address and its port');
export const CUT = broken('the answer was cut. Try again');
const NO_TLS = 'The server does not speak HTTPS at this address. Check the port, or write `http://`.';
const NO_ADDRESS = 'That is not the address of a server. Write it like `https://tidemark.example.org`.';
const UNKNOWN_ISSUER = untrusted(
    'is signed by an authority that is not trusted here. Check the address; whoever runs the server knows what to '
    + 'install');
export const LATE = 'The server did not answer in time. Check the network and the address, and try again.';
export const HELD_BACK = 'A proxy on the way holds back events. Changes still come, with more requests. Whoever runs the '
    + 'proxy should turn off its buffering for /api/v1/events/ (nginx: `proxy_buffering off` and '
    + '`proxy_http_version 1.1`).';

/** What Node tells. Browsers and React Native tell nothing. */
const BY_CODE = {
    ECONNREFUSED: REFUSED, ENETUNREACH: NO_ROUTE, EHOSTUNREACH: NO_ROUTE, ENETDOWN: NO_ROUTE, EADDRNOTAVAIL: NO_ROUTE,
    ECONNRESET: NO_ANSWER, EPIPE: NO_ANSWER, UND_ERR_SOCKET: NO_ANSWER,
    ETIMEDOUT: LATE, UND_ERR_CONNECT_TIMEOUT: LATE, UND_ERR_HEADERS_TIMEOUT: LATE, UND_ERR_BODY_TIMEOUT: LATE,
    ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS, ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS, ERR_INVALID_URL: NO_ADDRESS,
    CERT_HAS_EXPIRED: untrusted(
        "has expired. Check this device's clock; if it is right, whoever runs the server must renew the certificate"),
    CERT_NOT_YET_VALID: untrusted("is not valid yet. Check this device's clock, then the certificate"),
    ERR_TLS_CERT_ALTNAME_INVALID: untrusted('is issued to another name. Use the name that it is issued to'),
    DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_ISSUER, SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_ISSUER,
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER, UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
};

/** Why `fetch` got no answer from `base`. */
export function noAnswer(cause, base) {
    const { code, hostname } = cause?.cause ?? cause ?? {};
    if (/^(ENOTFOUND|EAI_)/.test(code)) {
        return unreachable(`no host named ${hostname} was found. Check the network, and the spelling of the address`);
    }
    if (/^HPE_/.test(code)) return NOT_HTTP;
    return BY_CODE[code] ?? untold(base);
}

function untold(base) {
    if (globalThis.navigator?.onLine === false) {
        return unreachable('this device has no network. What is edited is kept, and sent when there is one');
    }
    const origin = globalThis.location?.origin;
    const isPage = /^https?:/.test(origin ?? '');
    const isHere = isPage && new URL(base, origin).origin === origin;
    const reasons = [
        'there is no network',
        `nothing answers at ${base}: check the address, its port, and that the server runs`,
        /^https:/.test(base) && "its certificate is not trusted: check it, and this device's clock",
        isPage && !isHere && notAllowed(base, origin),
    ];
    const who = isPage ? 'the browser' : 'this device';
    const all = reasons.filter(Boolean).join('; or ');
    return `The server can't be reached, and ${who} does not tell why. Either ${all}.`;
}

/** What keeps a page from an address of another origin. */
function notAllowed(base, origin) {
    if (/^https:/.test(origin) && /^http:/.test(base)) {
        return `this page is from https, and its browser allows it no address with http`;
    }
    return `it does not know this page: its setting TIDEMARK_HTTP_ORIGINS has to name ${origin}, and the page's own `
        + 'Content-Security-Policy the server';
}

/** What to say of an answer that has none of the server's problem documents. */
export function foreign({ status, redirectedTo = null }) {
    if (redirectedTo) {
        return `The server redirects to ${redirectedTo}, and what answers there is not Tidemark. Use the address that `
            + 'it redirects to; if that is a page to log in, log in there first.';
    }
    if (status >= 500) return `The server, or a proxy in front of it, answered with status ${status}. Try again later.`;
    return `What answered with status ${status} is not Tidemark. ${CHECK}`;
}

/** What to say of a 2xx whose content is not complete JSON. */
export function notJSON({ status, type, redirectedTo }) {
    if (redirectedTo) return foreign({ status, redirectedTo });
    if (type === '' || /\bjson$/.test(type)) return CUT;
    return `What answered is not Tidemark: it sent ${type}. ${CHECK}`;
}
