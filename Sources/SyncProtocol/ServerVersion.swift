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
