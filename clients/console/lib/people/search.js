// A page of a search can have nothing, although a later one has something: the server looks at some thousand accounts
// at a time.

const MOST = 20;

/** The next page of a search that has something, or the last one. */
export async function searched(context, text, after) {
    for (let asked = 0; ; asked += 1) {
        const query = { ...text && { q: text }, ...after && { after } };
        const page = await context.api('GET', '/admin/users/', { query });
        if (page.results.length > 0 || page.next === null || asked === MOST) return page;
        after = page.next;
    }
}

/** The account with this user name, in upper or lower case; null if there is none. */
export async function named(context, username) {
    const wanted = username.toLowerCase();
    for (let after = null; ;) {
        const { results, next } = await searched(context, username, after);
        const found = results.find(each => each.username === username)
            ?? results.find(each => each.username.toLowerCase() === wanted);
        if (found || next === null) return found ?? null;
        after = next;
    }
}
