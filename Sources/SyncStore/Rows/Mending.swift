/// How many rows with dead references were changed and deleted.
package struct Mending: Sendable, Equatable {
    /// The number of rows that lost a reference and stay.
    package var changed = 0
    /// The number of rows that were deleted because they can't be without the reference, cascades included.
    package var deleted = 0

    package init() {}

    package static func += (total: inout Mending, part: Mending) {
        total.changed += part.changed
        total.deleted += part.deleted
    }
}
