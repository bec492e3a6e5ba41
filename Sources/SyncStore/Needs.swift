/// What the body of a write will probably read, as far as its caller knows.
///
<<<<<<< HEAD
/// A hint. A store may ask for it and fetch all of it with one question, or ignore it. The body may ask for anything
/// else, and need not ask for what is named here.
=======
/// This is a hint. A store may fetch all of it with one query, or ignore it.
/// The body may read anything else, and need not read what is named here.
>>>>>>> 6739617c1a92987538bd8b1b8245367c1eae4568
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
