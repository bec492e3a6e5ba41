/// What the body of a write is going to ask for, as far as that is known before.
///
/// A hint. A store may ask for it and fetch all of it with one question, or ignore it. The body may ask for anything
/// else, and need not ask for what is named here.
package struct Needs: Sendable, Equatable {
    /// Rows of the batch, and rows that they refer to. Each once.
    package var rows: [RowKey]
    /// Users that rows refer to. Each once.
    package var users: [Int64]

    package init(rows: [RowKey] = [], users: [Int64] = []) {
        self.rows = rows
        self.users = users
    }
}
