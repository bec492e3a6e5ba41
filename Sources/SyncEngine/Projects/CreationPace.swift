import SyncProtocol
import SyncSchema
import SyncStore

/// How a large project is stored beside others who write.
package struct CreationPace: Sendable {
    /// One transaction takes no more rows than these.
    package var rowsPerStep: Int
    /// Whether the others get as long as a step took, half of it, before the next one.
    package var givesWay: Bool

    package init(rowsPerStep: Int = 1000, givesWay: Bool = true) {
        self.rowsPerStep = rowsPerStep
        self.givesWay = givesWay
    }
}
