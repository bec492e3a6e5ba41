import { invalidAnswer } from './error.js';

/** A line longer than this comes from something that is not a Tidemark server. */
const LONGEST = 4_000_000;

/**
 * Reads server-sent events, in chunks that may be cut anywhere:
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class EventParser {
    /** The `id` of the last event, which a new stream continues from. */
    lastEventId;
    /** Milliseconds before a new stream, as the server asked; null if it did not. */
    retry = null;
    /** Drops the byte order mark and joins characters that were cut. */
    _decoder = new TextDecoder();
    _rest = '';
    /** A line feed that comes next belongs to the line break before it. */
    _endedWithReturn = false;
    _type = '';
    _data = '';
    _id;

    constructor(lastEventId = '') {
        this.lastEventId = this._id = lastEventId;
    }

    /** The events that are complete with these bytes: `{ type, data, lastEventId }`. */
    push(bytes) {
        let text = this._decoder.decode(bytes, { stream: true });
        if (text === '') return [];
        if (this._endedWithReturn && text[0] === '\n') text = text.slice(1);
        this._endedWithReturn = text.endsWith('\r');
        const events = [];
        const lines = (this._rest + text).split(/\r\n|\n|\r/);
        this._rest = lines.pop();
        for (const line of lines) this._line(line, events);
        if (this._rest.length + this._data.length > LONGEST) throw invalidAnswer('An event is too long.');
        return events;
    }

    _line(line, events) {
        if (line === '') return this._dispatch(events);
        const [, name, value] = line.match(/^([^:]*)(?:: ?(.*))?$/s);
        if (name === 'event') this._type = value ?? '';
        else if (name === 'data') this._data += `${value ?? ''}\n`;
        else if (name === 'id' && !value?.includes('\0')) this._id = value ?? '';
        else if (name === 'retry' && /^\d+$/.test(value ?? '')) this.retry = Number(value);
    }

    _dispatch(events) {
        this.lastEventId = this._id;
        const [type, data] = [this._type || 'message', this._data];
        this._type = this._data = '';
        if (data) events.push({ type, data: data.slice(0, -1), lastEventId: this.lastEventId });
    }
}
