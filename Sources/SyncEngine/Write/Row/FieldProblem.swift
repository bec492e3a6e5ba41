import SyncProtocol
import SyncSchema
import SyncStore

/// What is wrong with a row, or one of its fields, before the row's place in a request is known.
struct FieldProblem: Error {
    /// Nil if the whole row is at fault.
    let field: String?
    /// RFC 6901 pointer, relative to the row.
    let pointer: String
    let code: ErrorCode
    let detail: String

    init(_ field: String?, _ code: ErrorCode, _ detail: String, pointer: String = "") {
        self.field = field
        self.pointer = (field.map { "/" + $0 } ?? "") + pointer
        self.code = code
        self.detail = detail
    }
}

extension FieldProblem {
    /// The problem of a new row whose id is not valid.
    static var invalidID: FieldProblem {
        FieldProblem("id", .invalidID, "An id has 1 to 64 letters, digits, _ . or -, the first a letter or digit.")
    }
}
