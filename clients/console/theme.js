// Runs before the first paint, so no other scheme flashes up. `lib/shell/theme.js` changes what is stored here.
try {
    const theme = localStorage.getItem('tidemark-theme');
    if (theme) document.documentElement.dataset.theme = theme;
} catch {
    // Without storage the system's scheme holds.
}
