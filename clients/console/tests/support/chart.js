// The chart of a plan, as a hand with a mouse finds it.

/** In a page: waits until what the plan says by now is drawn. */
const DRAWN = `
    const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
    await frame();
    await frame();`;

/** A place in the row of a task, once it is in sight. */
export const rowOf = (page, name) => page.until(`
    const names = [...document.querySelectorAll('.plan-rows .plan-row:not([hidden]) .plan-name')];
    const box = names.find(each => each.textContent === ${JSON.stringify(name)})?.getBoundingClientRect();
    return box && { x: box.x + 8, y: box.y + box.height / 2 }`, `the row ${name}`);

/** The name of the selected task. */
export const selected = page => page.run(`
    ${DRAWN}
    return document.querySelector('.plan-rows [aria-selected=true] .plan-name')?.textContent ?? null`);

/** Selects a task by a click on its row. Returns the box of its bar, once it has come to rest. */
export async function barOf(page, name) {
    const place = await rowOf(page, name);
    await page.run('document.querySelector(".plan-list").focus()');
    // A click on the active cell would edit it.
    if (await selected(page) !== name) await page.drag(place, place);
    return page.until(`
        ${DRAWN}
        const ring = document.querySelector('.plan-ring');
        if (ring.hidden) return null;
        const { left, right, top, height } = ring.getBoundingClientRect();
        return { left: left + 3, right: right - 3, y: top + height / 2, x: (left + right) / 2 }`, `the bar of ${name}`);
}
