/// What databases say in words of their own.
package protocol SQLDialect: Sendable {
    /// The types of columns.
    var integer: String { get }
    var real: String { get }
    var text: String { get }
    /// What follows the columns of a `CREATE TABLE`.
    var tableOptions: String { get }
    /// What a row's checksum must be, over terms in the order of the columns; nil where rows carry none.
    func rowChecksum(of terms: [String]) -> String?
    /// Whether two terms are equal, or both null.
    func isSame(_ one: String, _ other: String) -> String
    /// The bits that are set in one term and not in both.
    func exclusiveOr(_ one: String, _ other: String) -> String
    func greatest(_ one: String, _ other: String) -> String
}
