/// Where a commit stands in the order of the installation.
package struct PlacedCommit: Sendable, Hashable {
    package let number: CommitNumber
    package let project: String
    /// Whether the commit changed a gate or a membership.
    package let changesSight: Bool

    package init(number: CommitNumber, project: String, changesSight: Bool) {
        (self.number, self.project, self.changesSight) = (number, project, changesSight)
    }
}
