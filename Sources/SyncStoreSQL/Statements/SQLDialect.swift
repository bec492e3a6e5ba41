/// What databases express differently in SQL. Terms and results are SQL expressions.
package protocol SQLDialect: Sendable {
    /// Types of columns.
    var integer: String { get }
    var real: String { get }
    var text: String { get }
    /// For columns that hold 0 or 1.
    var boolean: String { get }
    /// The type and constraints of a key that the database assigns. It never assigns a number twice.
    var assignedKey: String { get }
    /// What follows the closing parenthesis of a `CREATE TABLE`.
    var tableOptions: String { get }
    /// The same for tables that are read by their primary key, or by no order at all.
    var keyedTableOptions: String { get }
    /// The most bytes that the name of a table or an index can have; nil without such a limit.
    var longestName: Int? { get }
    /// The most characters that the texts of a unique key can have together; nil without such a limit.
    var longestKey: Int? { get }
    /// The checksum of a row with these values, in the order of the columns. Nil if rows have no checksum.
    func rowChecksum(of terms: [String]) -> String?
    /// The number of bytes of a text.
    func bytes(of text: String) -> String
    /// Whether the two terms are equal or both null.
    func isSame(_ one: String, _ other: String) -> String
    /// The bits that are set in exactly one of the two terms.
    func exclusiveOr(_ one: String, _ other: String) -> String
    /// The greater of the two terms.
    func greatest(_ one: String, _ other: String) -> String
    /// A table `e` with the elements of a JSON list in its column `value`, for a `FROM`.
    func elements(of list: String) -> String
    /// The texts of a group of rows, one after the other with commas.
    func joined(_ text: String) -> String
    /// The number of these elements.
    func countOfElements(of list: String) -> String
}

extension SQLDialect {
    /// Whether a text has more bytes. A partial index is used by a query that says it in the same words.
    func isLarge(_ text: String, _ size: Int) -> String { "\(bytes(of: text)) > \(size)" }
}
