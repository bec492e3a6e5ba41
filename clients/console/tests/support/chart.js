// The chart of a plan, as a hand with a mouse finds it.

/** A place in the row of a task, once it is in sight. */
export const rowOf = (page, name) => page.until(`
    const names = [...document.querySelectorAll('.plan-rows .plan-row:not([hidden]) .plan-name')];
    const box = names.find(each => each.textContent === ${JSON.stringify(name)})?.getBoundingClientRect();
    return box && { x: box.x + 8, y: box.y + box.height / 2 }`, `the row ${name}`);

/** Selects a task by a click on its row. Returns the box of its bar, once it has come to rest. */
export async function barOf(page, name) {
    const place = await rowOf(page, name);
    const isActive = await page.run(`
        document.querySelector('.plan-list').focus();
        return document.querySelector('.plan-rows [aria-selected=true] .plan-name')?.textContent === '${name}'`);
    // A click on the active cell would edit it.
    if (!isActive) await page.drag(place, place);
    return page.until(`
        const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
        await frame();
        await frame();
        const ring = document.querySelector('.plan-ring');
        if (ring.hidden) return null;
        const { left, right, top, height } = ring.getBoundingClientRect();
        return { left: left + 3, right: right - 3, y: top + height / 2, x: (left + right) / 2 }`, `the bar of ${name}`);
}
