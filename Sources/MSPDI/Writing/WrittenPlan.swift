import SyncProtocol

/// A plan as XML, and the list of what it does not hold.
package struct WrittenPlan: Sendable {
    package let text: String

    /// What the rows hold and the plan does not, or what an import of the plan would not take: one line for each field
    /// and reason.
    package let notExported: [String]
}
