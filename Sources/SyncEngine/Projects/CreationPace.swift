/// How a large project is stored while others write.
package struct CreationPace: Sendable {
    /// The most rows that one transaction stores.
    package var rowsPerStep: Int
    /// Whether to pause after each step, so others can write: for half as long as the step took, at most 100 ms.
    package var givesWay: Bool

    package init(rowsPerStep: Int = 1000, givesWay: Bool = true) {
        self.rowsPerStep = rowsPerStep
        self.givesWay = givesWay
    }
}
