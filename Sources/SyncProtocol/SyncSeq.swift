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
