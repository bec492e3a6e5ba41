import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, sha256 } from '../../web/tests/support/files.js';
import { generator } from '../../web/tests/support/random.js';
import { SHA256 } from '../lib/files/sha256.js';

test('a digest is that of the platform, however the bytes are cut', () => {
    const random = generator(1);
    for (let size = 4; size < 600; size++) {
        const [bytes, hash] = [bytesOf(size, size).subarray(size % 4), new SHA256()];
        for (let place = 0; place < bytes.length;) {
            const end = place + Math.floor(random() * 130);
            hash.add(bytes.subarray(place, end));
            place = Math.min(end, bytes.length);
        }
        assert.equal(hash.end(), sha256(bytes), `${bytes.length} bytes`);
    }
});

test('lengths above 512 MiB are padded as they are', () => {
    const hash = new SHA256();
    hash._length = 2 ** 29 + 3;
    const before = new SHA256();
    before._length = 3;
    assert.notEqual(hash.end(), before.end());
});

test('nothing has the known digest', () => {
    assert.equal(new SHA256().end(), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});
