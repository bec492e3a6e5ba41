import SyncProtocol

/// A plan as XML, and a list of what it leaves out.
package struct WrittenPlan: Sendable {
    /// The XML document.
    package let text: String

    /// What the rows hold that the plan does not, or that an import of the plan would not accept.
    /// One line for each field and reason.
    package let notExported: [String]
}
