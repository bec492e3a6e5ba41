import SyncProtocol
import SyncSchema
import SyncStore

/// What is wrong with a field of a row, before it has a place in a request.
struct FieldProblem: Error {
    let field: String?
    /// RFC 6901, from the row on.
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
    /// Of a new row.
    static var invalidID: FieldProblem {
        FieldProblem("id", .invalidID, "An id has 1 to 64 letters, digits, _ . or -, the first a letter or digit.")
    }
}
