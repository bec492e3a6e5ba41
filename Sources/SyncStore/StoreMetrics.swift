/// What a store did since it was opened, and how it stands: for those who watch over it.
package struct StoreMetrics: Sendable, Equatable {
    private static let groupSizes: [Double] = [1, 2, 4, 8, 16, 32, 64, 128]

    /// Name and version of what keeps the data; empty where nothing worth a name does.
    package var engine = ""
    /// What the operator should know of it.
    package var warnings: [String] = []
    /// The writes that shared a commit, one value a commit of this process.
    package var groups = Histogram(bounds: groupSizes)
    /// Writes that wait for the writer.
    package var waitingWrites = 0
    /// Bytes of the write-ahead log.
    package var logBytes = 0

    package init() {}
}
