/// A digest of the rows of one collection: their number, and the XOR of a hash of each. Two copies can be compared by
/// it without being sent. With XOR, the order of the rows does not matter, and a row is taken out the way it is put in.
/// So a change of the digest costs only the rows that one write changed.
///
/// It finds copies that differ by accident. It does not protect against forgery: whoever
/// chooses ids can make two sets with the same digest.
public struct CollectionDigest: Sendable, Equatable {
    /// Number of rows. Negative in a change that takes rows out.
    public private(set) var count: Int
    /// The XOR of `RowHash` over the rows.
    public private(set) var bits: UInt64

    /// The digest of no rows.
    public static let empty = CollectionDigest(count: 0, bits: 0)

    /// A digest that was stored elsewhere.
    public init(count: Int, bits: UInt64) {
        self.count = count
        self.bits = bits
    }

    /// Adds a row. Its id must not be in the set yet.
    public mutating func insert(_ id: String, _ version: ServerVersion) {
        count += 1
        bits ^= RowHash.of(id.utf8, version)
    }

    /// Adds a row whose id is in UTF-8.
    package mutating func insert(utf8 id: UnsafeBufferPointer<UInt8>, _ version: ServerVersion) {
        count += 1
        bits ^= RowHash.of(id, version)
    }

    /// Removes a row. The version must be the one that it was added with.
    public mutating func remove(_ id: String, _ version: ServerVersion) {
        count -= 1
        bits ^= RowHash.of(id.utf8, version)
    }

    /// The digest of two sets without common rows, or of a set after a change.
    public static func + (left: Self, right: Self) -> Self {
        CollectionDigest(count: left.count + right.count, bits: left.bits ^ right.bits)
    }

    public static func += (left: inout Self, right: Self) { left = left + right }
}

/// FNV-1a with 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/) over a row's id, a NUL, and its `server_version` in
/// decimal. The content of a row never changes without its version, so these two stand for the whole row.
enum RowHash {
    private static let offset: UInt64 = 0xcbf2_9ce4_8422_2325
    private static let prime: UInt64 = 0x0100_0000_01b3

    static func of(_ id: some Sequence<UInt8>, _ version: ServerVersion) -> UInt64 {
        var hash = offset
        for byte in id { add(byte, to: &hash) }
        add(0, to: &hash)
        for byte in version.description.utf8 { add(byte, to: &hash) }
        return hash
    }

    @inline(__always)
    private static func add(_ byte: UInt8, to hash: inout UInt64) {
        hash = (hash ^ UInt64(byte)) &* prime
    }
}

// MARK: The wire form

extension CollectionDigest {
    /// `{"count": 3, "digest": "16 hex digits"}`.
    public var json: JSON {
        let digits = String(bits, radix: 16)
        return [
            "count": .int(Int64(count)),
            "digest": .string(String(repeating: "0", count: 16 - digits.count) + digits),
        ]
    }

    /// Nil unless the JSON has exactly this form.
    public init?(_ json: JSON) {
        guard let count = json["count"]?.int, count >= 0, let digits = json["digest"]?.string, digits.utf8.count == 16,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
            let bits = UInt64(digits, radix: 16)
        else { return nil }
        self.init(count: Int(count), bits: bits)
    }
}
