import { invalidAnswer } from './error.js';

const [LF, CR] = [10, 13];
/** An event longer than this comes from something that is not a Tidemark server. */
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
    /** Decodes only whole lines: not every platform's decoder joins characters that were cut. */
    _decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    /** The bytes of a line that is not complete, in pieces. */
    _rest = [];
    _restLength = 0;
    _isFirst = true;
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
        const events = [];
        const end = Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1;
        if (end > 0) {
            const lines = this._text(bytes.subarray(0, end)).split(/\r\n|\n|\r/);
            // After the last line break there is nothing.
            for (const line of lines.slice(0, -1)) this._line(line, events);
        }
        this._keep(bytes.subarray(end));
        return events;
    }

    /** The text of the bytes that were kept and these, which end with a line break. */
    _text(bytes) {
        const all = new Uint8Array(this._restLength + bytes.length);
        let length = 0;
        for (const piece of [...this._rest, bytes]) {
            all.set(piece, length);
            length += piece.length;
        }
        [this._rest, this._restLength] = [[], 0];
        let text = this._decoder.decode(all);
        if (this._isFirst) text = text.replace(/^\ufeff/, '');
        this._isFirst = false;
        if (this._endedWithReturn && text[0] === '\n') text = text.slice(1);
        this._endedWithReturn = all[all.length - 1] === CR;
        return text;
    }

    _keep(bytes) {
        if (bytes.length) this._rest.push(bytes);
        this._restLength += bytes.length;
        if (this._restLength + this._data.length > LONGEST) throw invalidAnswer('An event is too long.');
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
