// SHA-256 (FIPS 180-4) of bytes that come piece by piece. React Native has no Web Crypto, and that of browsers takes
// a whole file at once.

const START = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

const ROUNDS = new Int32Array([
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);

const BLOCK = 64;

export class SHA256 {
    _state = new Int32Array(START);
    _words = new Int32Array(64);
    /** The beginning of a block. */
    _rest = new Uint8Array(BLOCK);
    _restLength = 0;
    _length = 0;

    add(bytes) {
        this._length += bytes.length;
        let place = 0;
        if (this._restLength > 0) {
            place = Math.min(BLOCK - this._restLength, bytes.length);
            this._rest.set(bytes.subarray(0, place), this._restLength);
            this._restLength += place;
            if (this._restLength < BLOCK) return;
            this._take(this._rest, 0);
            this._restLength = 0;
        }
        for (; place + BLOCK <= bytes.length; place += BLOCK) this._take(bytes, place);
        this._rest.set(bytes.subarray(place));
        this._restLength = bytes.length - place;
    }

    /** The digest in 64 hex digits. Nothing can be added any more. */
    end() {
        const length = this._length;
        const padding = new Uint8Array(BLOCK + (this._restLength < 56 ? 0 : BLOCK) - this._restLength);
        padding[0] = 0x80;
        const view = new DataView(padding.buffer);
        view.setUint32(padding.length - 8, Math.floor(length / 2 ** 29));
        view.setUint32(padding.length - 4, length * 8 % 2 ** 32);
        this.add(padding);
        return [...this._state].map(word => (word >>> 0).toString(16).padStart(8, '0')).join('');
    }

    _take(bytes, place) {
        const { _state: state, _words: words } = this;
        for (let index = 0; index < 16; index++, place += 4) {
            words[index] = bytes[place] << 24 | bytes[place + 1] << 16 | bytes[place + 2] << 8 | bytes[place + 3];
        }
        for (let index = 16; index < 64; index++) {
            const near = words[index - 2];
            const far = words[index - 15];
            const low = (near >>> 17 | near << 15) ^ (near >>> 19 | near << 13) ^ near >>> 10;
            const high = (far >>> 7 | far << 25) ^ (far >>> 18 | far << 14) ^ far >>> 3;
            words[index] = low + words[index - 7] + high + words[index - 16] | 0;
        }
        let [a, b, c, d, e, f, g, h] = state;
        for (let index = 0; index < 64; index++) {
            const mixed = (e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7);
            const first = h + mixed + (e & f ^ ~e & g) + ROUNDS[index] + words[index] | 0;
            const turned = (a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10);
            const second = turned + (a & b ^ a & c ^ b & c) | 0;
            h = g;
            g = f;
            f = e;
            e = d + first | 0;
            d = c;
            c = b;
            b = a;
            a = first + second | 0;
        }
        for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) state[index] = state[index] + value | 0;
    }
}
