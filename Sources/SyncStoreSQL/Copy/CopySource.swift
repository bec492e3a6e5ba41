/// The database that is copied.
package protocol CopySource {
    /// As it may be shown, without a password.
    var name: String { get }
    /// Where it was moved to, if it was.
    func movedTo() throws -> DatabaseMove?
    /// Calls `body` with the database's rows. Nobody else can write until it returns. The database is then marked as
    /// moved if `body` returns a move, in the same transaction. Nothing is changed if `body` throws.
    func reading(_ body: (any CopyReader) throws -> DatabaseMove?) throws
}
