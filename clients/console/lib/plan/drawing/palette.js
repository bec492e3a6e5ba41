const TOKENS = {
    paper: '--paper', line: '--line', ink: '--ink', muted: '--muted', accent: '--accent', hover: '--hover',
    selected: '--accent-wash', bar: '--bar', barDone: '--bar-done', critical: '--critical',
    criticalDone: '--critical-done', summary: '--summary', arrow: '--arrow', today: '--today', off: '--day-off',
    broken: '--bad', overdue: '--overdue',
};

/** The colours of the scheme that holds now, as the canvas takes them, and the font. */
export function paletteOf(element) {
    const probe = element.appendChild(document.createElement('span'));
    const style = getComputedStyle(probe);
    const palette = { font: style.fontFamily };
    for (const [name, token] of Object.entries(TOKENS)) {
        probe.style.color = `var(${token})`;
        palette[name] = style.color;
    }
    probe.remove();
    return palette;
}
