/// A project's commit number (`sync_seq`), in which `since`, `timestamp` and cursors count. Never an edit counter.
public struct SyncSeq: RawRepresentable, Sendable, Hashable, Comparable, CustomStringConvertible {
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }
    public init(_ value: Int64) { rawValue = value }

    /// Lies before every commit: a drain from here carries everything.
    public static let zero = SyncSeq(0)

    /// Reads digits only, without sign and spaces, up to `maximum`; nil for anything else.
    package init?(decimal text: some StringProtocol) {
        guard text.utf8.allSatisfy(\.isASCIIDigit), let number = Int64(text), number <= SyncSeq.maximum.rawValue else {
            return nil
        }
        self.init(number)
    }

    /// The highest number a JavaScript client can hold exactly, 2^53 - 1.
    public static let maximum = SyncSeq((1 << 53) - 1)

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    public var description: String { String(rawValue) }

    /// The next commit.
    public var next: SyncSeq { SyncSeq(rawValue + 1) }
}

/// A row's edit counter (`server_version`), used for optimistic locking. Never a cursor.
public struct ServerVersion: RawRepresentable, Sendable, Hashable, Comparable, CustomStringConvertible {
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }
    public init(_ value: Int64) { rawValue = value }

    /// The version of a row that was just inserted.
    public static let first = ServerVersion(1)

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    public var description: String { String(rawValue) }

    /// The version after one more change.
    public var next: ServerVersion { ServerVersion(rawValue + 1) }
}

/// The rule for row ids: 1 to 64 of the characters `A-Z a-z 0-9 _ . -`, beginning with a letter or digit. Ids are
/// compared, stored and returned byte for byte.
public enum RowID {
    /// Whether `text` may be an id.
    public static func isValid(_ text: String) -> Bool {
        var utf8 = text.utf8.makeIterator()
        guard let first = utf8.next(), first.isASCIIAlphanumeric, text.utf8.count <= 64 else { return false }
        while let byte = utf8.next() {
            guard byte.isASCIIAlphanumeric || byte == 0x5F || byte == 0x2E || byte == 0x2D else { return false }
        }
        return true
    }
}
