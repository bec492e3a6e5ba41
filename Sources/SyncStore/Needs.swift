/// What the body of a write will probably read, as far as its caller knows.
///
/// This is a hint. A store may fetch all of it with one query, or ignore it.
/// The body may read anything else, and need not read what is named here.
package struct Needs: Sendable, Equatable {
    /// Rows of the batch and the rows that they refer to, without duplicates.
    package var rows: [RowKey]
    /// Users that rows refer to, without duplicates.
    package var users: [Int64]

    package init(rows: [RowKey] = [], users: [Int64] = []) {
        self.rows = rows
        self.users = users
    }
}
