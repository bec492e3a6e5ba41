package import SyncProtocol

/// Why a value, a field or a row is not acceptable, before its place in a request is known. `RowProblem` is the same
/// with the place.
package struct Violation: Error, Sendable, Equatable {
    /// Nil if the whole row is at fault, or if the value's field is not known yet.
    package let field: String?
    /// RFC 6901 pointer, relative to the row if there is a field, otherwise to the row or value at fault.
    package var pointer: String
    package let code: ErrorCode
    package let detail: String
    /// The id of the row that has the same unique key, if the writer may see it.
    package var existing: String?

    /// Of a value.
    package init(_ code: ErrorCode, _ detail: String, pointer: String = "") {
        self.init(nil, code, detail: detail, pointer: pointer)
    }

    /// Of a field, or with nil of a whole row. `pointer` is relative to the field.
    package init(_ field: String?, _ code: ErrorCode, detail: String, pointer: String = "") {
        self.field = field
        self.pointer = (field.map { "/" + $0 } ?? "") + pointer
        self.code = code
        self.detail = detail
    }
}

extension Violation {
    /// What is wrong with a value as what is wrong with its field.
    package func named(_ field: String) -> Violation {
        Violation(field, code, detail: "\(field) \(detail).", pointer: pointer)
    }

    /// A new row brings no value of a field that needs one.
    package static func missing(_ field: String) -> Violation {
        Violation(field, .required, detail: "\(field) is required.")
    }

    package static func unknownField(_ name: String, of collection: String) -> Violation {
        Violation(name, .unknownField, detail: "\(collection) has no field \(name).")
    }

    package static func readOnlyField(_ name: String) -> Violation {
        Violation(name, .readOnlyField, detail: "\(name) can only be written by the server.")
    }

    /// The caller's role is too low. `what` begins the sentence.
    package static func forbidden(_ what: String, needed: Role, own: Role) -> Violation {
        Violation(nil, .forbidden, detail: "\(what) needs the role \(needed.word) or above; yours is \(own.word).")
    }

    /// An id or a version, which every row has.
    package static func fixedField(_ name: String) -> Violation {
        Violation(name, .readOnlyField, detail: "\(name) can't be changed.")
    }
}
