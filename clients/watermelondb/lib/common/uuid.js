/** A random UUID, even without `crypto`, as in React Native without a polyfill. */
export function uuid() {
    const native = globalThis.crypto?.randomUUID;
    if (native) return native.call(globalThis.crypto);
    const digits = Array.from({ length: 32 }, () => Math.floor(Math.random() * 16));
    digits[12] = 4;
    digits[16] = 8 + digits[16] % 4;
    const text = digits.map(digit => digit.toString(16)).join('');
    return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-');
}
