/// XXH64 (Yann Collet, https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md), fed piece by piece.
/// Pages are compared by it because it keeps up with a loopback connection. The result does not depend on
/// how the bytes are cut into pieces.
struct XXHash64: Sendable {
    private static let primes: (UInt64, UInt64, UInt64, UInt64, UInt64) = (
        0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63,
        0x27D4_EB2F_1656_67C5
    )

    private var lanes: SIMD4<UInt64>
    private let seed: UInt64
    /// The bytes of an incomplete stripe, fewer than 32.
    private var rest: [UInt8] = []
    private var count: UInt64 = 0

    init(seed: UInt64 = 0) {
        self.seed = seed
        lanes = SIMD4(
            seed &+ Self.primes.0 &+ Self.primes.1, seed &+ Self.primes.1, seed, seed &- Self.primes.0)
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        count += UInt64(bytes.count)
        var bytes = bytes[...]
        if !rest.isEmpty {
            let missing = min(32 - rest.count, bytes.count)
            rest += bytes.prefix(missing)
            bytes = bytes.dropFirst(missing)
            guard rest.count == 32 else { return }
            rest.withUnsafeBytes { stripes($0) }
            rest.removeAll(keepingCapacity: true)
        }
        let whole = bytes.count & ~31
        stripes(UnsafeRawBufferPointer(rebasing: bytes.prefix(whole)))
        rest += bytes.dropFirst(whole)
    }

    /// The hash of all bytes so far.
    var value: UInt64 {
        var hash = count >= 32 ? merged : seed &+ Self.primes.4
        hash &+= count
        rest.withUnsafeBytes { Self.finish(&hash, $0) }
        hash = (hash ^ (hash >> 33)) &* Self.primes.1
        hash = (hash ^ (hash >> 29)) &* Self.primes.2
        return hash ^ (hash >> 32)
    }

    static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        var hash = XXHash64(seed: seed)
        hash.update(bytes)
        return hash.value
    }

    // MARK: Rounds

    private mutating func stripes(_ bytes: UnsafeRawBufferPointer) {
        var a = lanes[0]
        var b = lanes[1]
        var c = lanes[2]
        var d = lanes[3]
        for at in stride(from: 0, to: bytes.count, by: 32) {
            a = Self.round(a, bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self).littleEndian)
            b = Self.round(b, bytes.loadUnaligned(fromByteOffset: at + 8, as: UInt64.self).littleEndian)
            c = Self.round(c, bytes.loadUnaligned(fromByteOffset: at + 16, as: UInt64.self).littleEndian)
            d = Self.round(d, bytes.loadUnaligned(fromByteOffset: at + 24, as: UInt64.self).littleEndian)
        }
        lanes = SIMD4(a, b, c, d)
    }

    private var merged: UInt64 {
        var hash = Self.rotated(lanes[0], 1) &+ Self.rotated(lanes[1], 7)
        hash = hash &+ Self.rotated(lanes[2], 12) &+ Self.rotated(lanes[3], 18)
        for lane in 0..<4 {
            hash = (hash ^ Self.round(0, lanes[lane])) &* Self.primes.0 &+ Self.primes.3
        }
        return hash
    }

    private static func finish(_ hash: inout UInt64, _ rest: UnsafeRawBufferPointer) {
        var at = 0
        while at + 8 <= rest.count {
            hash ^= round(0, rest.loadUnaligned(fromByteOffset: at, as: UInt64.self).littleEndian)
            hash = rotated(hash, 27) &* primes.0 &+ primes.3
            at += 8
        }
        if at + 4 <= rest.count {
            hash ^= UInt64(rest.loadUnaligned(fromByteOffset: at, as: UInt32.self).littleEndian) &* primes.0
            hash = rotated(hash, 23) &* primes.1 &+ primes.2
            at += 4
        }
        for byte in rest[at...] {
            hash = rotated(hash ^ (UInt64(byte) &* primes.4), 11) &* primes.0
        }
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        rotated(lane &+ word &* primes.1, 31) &* primes.0
    }

    @inline(__always)
    private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 {
        (value << bits) | (value >> (64 - bits))
    }
}
