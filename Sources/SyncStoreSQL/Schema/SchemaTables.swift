package import SyncSchema

/// The tables of a database, as a migration changes them. How a table is changed differs between engines; what is
/// changed does not. All methods work in one transaction.
package protocol SchemaTables {
    associatedtype Transaction: SQLTransaction

    var transaction: Transaction { get }

    func hasTable(_ name: String) throws -> Bool
    func columns(of table: String) throws -> [StoredColumn]
    /// The type that a column of the field has, as `StoredColumn` has it.
    func type(of field: Field, _ layout: TableLayout) -> String

    /// Makes the table of a new collection, without indexes. Its references may come with `finish`.
    func make(_ layout: TableLayout) throws
    /// Adds the column of a field. Existing rows get the field's default.
    func add(_ field: Field, to layout: TableLayout) throws
    /// Brings null constraints, references and the columns of removed fields in line with the layout. References may
    /// come with `finish`. Where a field can't be null and has a default, that replaces nulls.
    func align(_ layout: TableLayout, _ columns: [StoredColumn]) throws
    /// The names of the table's indexes that have the layout's form. The others are dropped.
    func alignedIndexes(_ layout: TableLayout) throws -> Set<String>
    func makeIndex(_ name: String, _ layout: TableLayout) throws
    /// Removes what would interfere with other tables, and what the rows of a removed collection don't need.
    func detach(_ table: String) throws
    func drop(_ table: String) throws
    func dropColumn(_ field: String, of table: String) throws

    /// Writes what the transaction has collected so far and not written.
    func settle() throws
    /// Called last. The rows of the collections in `changed` were changed by statements that know nothing of what the
    /// engine derives from rows.
    func finish(changed: [Collection]) throws
}
