import assert from 'node:assert/strict';
import { inPlanOrder } from '../../lib/plan/model/tree.js';
import { Handset } from './handset.js';
import { Judge, differences, fromDisk } from './judge.js';
import { COLLECTIONS, FIELDS } from './rows.js';

const LONGEST = 60_000;
const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));
/** What Chromium itself writes of requests that the campaign has lost. */
const OF_NETWORK = /^Failed to load resource: (net::|the server responded with a status of (401|5\d\d))/;

/** The end of a campaign: all trouble is over, everybody syncs by themselves, and then all is compared. */
export class Ending {
    given = { browser: new Set(), phone: new Set() };

    constructor(campaign) {
        Object.assign(this, { campaign, label: campaign.label });
    }

    async check() {
        await this._heal();
        await this._converge();
        this._quiet();
        await this._lastEdits();
        await this._converge();
        await this._compare();
    }

    async _heal() {
        const { campaign: { road, handset, windows } } = this;
        road.mend();
        road.isNoisy = handset.isNoisy = false;
        await this.campaign._reopen();
        // The browser tells pages when a network is back.
        for (const { page } of windows) {
            await page.offline(true);
            await page.offline(false);
        }
    }

    /** Waits until all have what the server has. Nobody presses a button, except to give up what was refused. */
    async _converge() {
        for (const end = Date.now() + LONGEST; ;) {
            const wrong = await this._round();
            if (wrong.length === 0) return;
            if (Date.now() > end) assert.fail(this.label(await this._whyNot(wrong)));
            await pause(100);
        }
    }

    async _whyNot(wrong) {
        const { windows, road } = this.campaign;
        const states = await Promise.all(windows.map(({ page }) => page.run(`
            return JSON.stringify([campaign.tidemark.state, await navigator.locks.query()])`)));
        return ['they do not come together', ...wrong.slice(0, 9), ...states, ...road.open].join('\n');
    }

    /** What is still different. */
    async _round() {
        const { handset, windows } = this.campaign;
        await handset.sync();
        this._giveUpOnPhone();
        const wrong = handset.database.hasChanges() ? ['the phone has something unsent'] : [];
        this.rows = await this._serverRows();
        for (const [place, { page }] of windows.entries()) {
            const { state, live } = await page.run('return { state: campaign.tidemark.state, live: campaign.live }');
            assert.ok(state.isSignedIn, this.label('the session has ended'));
            for (const { collection, id } of state.refused) {
                this.given.browser.add(id);
                await page.run(`return campaign.tidemark.giveUp('${collection}', '${id}').catch(() => {})`);
            }
            if (state.unsent > 0 || state.refused.length > 0) wrong.push(`window ${place} has something unsent`);
            wrong.push(...differences(this.rows, byID(live)).map(what => `window ${place}: ${what}`));
            const { rows } = await page.run('return campaign.disk()');
            const waits = rows.filter(({ _status }) => _status !== 'synced').map(({ collection, id }) => `${collection} ${id}`);
            if (waits.length > 0) wrong.push(`window ${place} waits for the server's word on ${waits}`);
        }
        wrong.push(...this._phoneDiffers());
        return wrong;
    }

    _giveUpOnPhone() {
        const { handset } = this.campaign;
        for (const id of handset.refused) this.given.phone.add(id);
        handset.giveUp();
    }

    async _serverRows() {
        const rows = new Map();
        for (const name of COLLECTIONS) {
            const { results, next } = await this.campaign.get(
                `/projects/${this.campaign.project}/${name}/?limit=500`);
            assert.equal(next, null);
            rows.set(name, new Map(results.map(row => [row.id, row])));
        }
        return rows;
    }

    _phoneDiffers() {
        const { handset: { database } } = this.campaign;
        return COLLECTIONS.flatMap(name => {
            const [ours, all] = [this.rows.get(name), database.rows(name)];
            const fields = [...Object.values(FIELDS[name]).flat(), 'server_version'];
            const isSame = all.size === ours.size && [...ours].every(([id, row]) =>
                fields.every(field => (all.get(id)?.[field] ?? null) === (row[field] ?? null)));
            return isSame ? [] : [`the phone has other ${name}`];
        });
    }

    /** From here on, nothing is lost, so nothing may be written to a browser's console. */
    _quiet() {
        for (const { troubles } of this.campaign.desktop.pages) {
            assert.deepEqual(troubles.filter(text => !OF_NETWORK.test(text)), [], this.label('the browser\'s console'));
            troubles.length = 0;
        }
    }

    /** Once more everybody edits, so each window has to hear of the others. */
    async _lastEdits() {
        const { campaign } = this;
        for (const { page } of campaign.windows) {
            const known = await page.run(`return campaign.rows(${JSON.stringify(COLLECTIONS)})`);
            const edits = [campaign._one(known), campaign._one(known)].filter(Boolean);
            await page.run(`return campaign.edit(${JSON.stringify(edits)})`);
        }
        campaign.handset.edit();
    }

    async _compare() {
        const { campaign, label, given } = this;
        for (const { page } of campaign.windows) await this._window(page);
        this._quiet();
        assert.deepEqual(campaign.desktop.pages.flatMap(({ troubles }) => troubles), [], label('the console'));
        assert.deepEqual(campaign.road.uploads.troubles, [], label('uploads'));
        assert.deepEqual(campaign.handset.database.errors, [], label('the phone\'s database'));
        await this._freshPhone();
        const aside = await campaign.windows[0].page.run('return campaign.tidemark.setAside()');
        Object.assign(campaign.counts, { setAside: aside.length, refused: given.browser.size });
        campaign.structure.check(this.rows.get('tasks'));
        await this._noStrayEntries(aside);
        const judge = new Judge({ ledger: campaign.ledger, get: path => campaign.get(path), rows: this.rows, label });
        await judge.followEdits({ aside, given });
    }

    /** They leave the inbox with the sync that follows. */
    async _noStrayEntries(aside) {
        const places = aside.filter(({ reasons }) =>
            reasons.length > 0 && reasons.every(({ field }) => field === 'rank'));
        assert.deepEqual(places, [], this.label('somebody was told of a place alone'));
        for (const end = Date.now() + LONGEST; ;) {
            const stray = await this.campaign.structure.strayEntries(aside);
            if (stray.length === 0) return;
            assert.ok(Date.now() < end, this.label(`the inbox has ${JSON.stringify(stray)}`));
            await pause(100);
        }
    }

    async _window(page) {
        const { rows, label } = this;
        const disk = await page.run('return campaign.disk()');
        assert.deepEqual(differences(rows, fromDisk(disk)), [], label('IndexedDB'));
        assert.deepEqual(disk.rows.filter(({ _status }) => _status !== 'synced'), [], label('unsent in IndexedDB'));
        assert.equal(disk.waiting, 0, label('a batch without an answer'));
        const names = inPlanOrder([...rows.get('tasks').values()]).map(({ name }) => name);
        await page.until(`
            const all = ${JSON.stringify(names)};
            const shown = [...document.querySelectorAll('.grid-row:not([hidden]) .cell.name .text, '
                + '.plan-rows .plan-row:not([hidden]) .plan-name')]
                .map(each => [each.getBoundingClientRect().top, each.textContent])
                .sort(([one], [other]) => one - other).map(([, name]) => name);
            const first = all.indexOf(shown[0]);
            return shown.length >= Math.min(all.length, 8)
                && shown.every((name, place) => name === all[first + place])`,
        label('what is shown'));
    }

    /** A phone that was never there has the same rows. */
    async _freshPhone() {
        const { campaign: { server, project, token, handset, ledger, random }, label } = this;
        const { schema } = handset.database;
        const fresh = new Handset({ server, project, token, schema, ledger, random, nextID: null });
        fresh.isNoisy = false;
        await fresh.sync();
        for (const name of Object.keys(schema)) {
            assert.equal(handset.phone.snapshot(name), fresh.phone.snapshot(name), label(`${name} of the phone`));
        }
    }
}

const byID = lists => new Map(COLLECTIONS.map(name => [name, new Map((lists[name] ?? []).map(row => [row.id, row]))]));
