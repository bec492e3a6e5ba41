/// What became of rows with dead references.
package struct Mending: Sendable, Equatable {
    /// Rows that lost a reference and stay.
    package var changed = 0
    /// Rows that can't be without the reference, with what their deletion took along.
    package var deleted = 0

    package init() {}

    package static func += (total: inout Mending, part: Mending) {
        total.changed += part.changed
        total.deleted += part.deleted
    }
}
