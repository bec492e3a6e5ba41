package import SyncProtocol

/// Why a value is not acceptable.
package struct Violation: Error, Sendable, Equatable {
    /// RFC 6901 pointer, relative to the value.
    package var pointer: String
    package let code: ErrorCode
    package let detail: String

    package init(_ code: ErrorCode, _ detail: String, pointer: String = "") {
        self.code = code
        self.detail = detail
        self.pointer = pointer
    }
}
