// What a person with a keyboard, a screen reader or weak eyes needs of a page. These functions run in the page.

/** The source of a script that returns what is wrong, as sentences. */
export const audit = () => `
    ${[luminance, over, colourOf, backgroundOf, contrast, isSeen, nameOf, unnamed, pale, twice].join('\n')}
    return [...unnamed(), ...pale(), ...twice()];
`;

function luminance([red, green, blue]) {
    const linear = [red, green, blue].map(each => each / 255)
        .map(each => each <= .04045 ? each / 12.92 : ((each + .055) / 1.055) ** 2.4);
    return .2126 * linear[0] + .7152 * linear[1] + .0722 * linear[2];
}

function over([red, green, blue, alpha], below) {
    return [red, green, blue].map((each, place) => each * alpha + below[place] * (1 - alpha));
}

function colourOf(text) {
    const canvas = globalThis.probe ??= new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
}

function backgroundOf(node) {
    if (!node) return [255, 255, 255];
    const colour = colourOf(getComputedStyle(node).backgroundColor);
    return colour[3] === 1 ? colour.slice(0, 3) : over(colour, backgroundOf(node.parentElement));
}

function contrast(node) {
    const background = backgroundOf(node);
    const text = over(colourOf(getComputedStyle(node).color), background);
    const [light, dark] = [luminance(text), luminance(background)].sort((one, other) => other - one);
    return (light + .05) / (dark + .05);
}

function isSeen(node) {
    const { width, height } = node.getBoundingClientRect();
    return width > 1 && height > 1 && node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
}

function nameOf(node) {
    const labels = [...node.labels ?? []].map(label => label.textContent);
    return [node.getAttribute('aria-label'), ...labels, node.textContent].find(text => text?.trim())?.trim();
}

function unnamed() {
    const all = 'button, a[href], input, select, textarea, [role=treegrid], dialog, nav, aside';
    return [...document.querySelectorAll(all)]
        .filter(node => isSeen(node) && !node.closest('[aria-hidden=true]') && !nameOf(node))
        .map(node => `no name: ${node.outerHTML.slice(0, 120)}`);
}

function pale() {
    const found = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const node = texts.currentNode.parentElement;
        if (!texts.currentNode.textContent.trim() || !isSeen(node) || node.closest(':disabled')) continue;
        const ratio = contrast(node);
        if (ratio < 4.5) found.push(`${ratio.toFixed(2)} to 1: ${node.className} ${node.textContent.slice(0, 40)}`);
    }
    return found;
}

function twice() {
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
    return [...new Set(ids.filter((id, place) => ids.indexOf(id) !== place))].map(id => `two elements are #${id}`);
}
