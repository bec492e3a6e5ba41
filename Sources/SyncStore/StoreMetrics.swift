/// The state of a store and its activity since it was opened, for monitoring.
package struct StoreMetrics: Sendable, Equatable {
    private static let groupSizes: [Double] = [1, 2, 4, 8, 16, 32, 64, 128]

    /// The name and version of the database engine; empty if there is none worth naming.
    package var engine = ""
    /// Sentences that the operator should read.
    package var warnings: [String] = []
    /// How many writes shared each commit of this process.
    package var groups = Histogram(bounds: groupSizes)
    /// The number of writes that wait for the writer.
    package var waitingWrites = 0
    /// The size of the write-ahead log in bytes.
    package var logBytes = 0
    /// How many bytes can still be written to the disk that the database is on. Nil if that is not known here.
    package var freeBytes: Int64?
    /// Nil for a database that one server has for itself.
    package var shared: SharedDatabaseMetrics?

    package init() {}
}
