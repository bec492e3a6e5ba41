/// The database that is made.
package protocol CopyTarget {
    /// As it may be shown, without a password.
    var name: String { get }
    /// The copy into this database that was not finished, if there is one. Throws a `StoreError` if the database has
    /// anything else.
    func unfinished() throws -> DatabaseMove?
    /// Makes the database as `body` fills it. It is there as a whole afterwards, or not at all if `body` throws.
    func filling(_ body: (any CopyWriter) throws -> Void) throws
    /// Removes the mark of an unfinished copy.
    func finish() throws
}
