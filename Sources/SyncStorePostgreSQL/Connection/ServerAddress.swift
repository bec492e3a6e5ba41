import CPQ
package import SyncStore

/// Where the database is: `postgres://user@host:port/name`, with several hosts if there are standbys, and with any
/// parameters of libpq: https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING
package struct ServerAddress: Sendable, CustomStringConvertible {
    /// What the address does not say itself.
    private static let defaults = [
        ("connect_timeout", "3"), ("tcp_user_timeout", "5000"), ("application_name", "tidemark"),
        ("client_encoding", "UTF8"),
    ]

    /// The address as it was given. It may have a password.
    package let text: String

    /// Throws a `StoreError` if libpq can't read the address.
    package init(_ text: String) throws(StoreError) {
        self.text = text
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(text, &message) else {
            let reason = message.map { String(cString: $0) } ?? "unknown error"
            PQfreemem(message)
            throw StoreError(
                "The database's address can't be read: \(reason.trimmed).",
                hint: "It has the form postgres://user@host:5432/name.")
        }
        PQconninfoFree(options)
    }

    /// The address without its password.
    package var description: String {
        guard let start = text.firstRange(of: "://")?.upperBound, let at = text[start...].firstIndex(of: "@"),
            let colon = text[start..<at].firstIndex(of: ":")
        else { return text }
        return String(text[..<colon] + text[at...])
    }

    /// What is at the address.
    enum Reach {
        /// No server that accepts connections.
        case down
        /// Servers that take no writes.
        case readOnly
        /// A server that refuses this user or database, or whatever else.
        case refused
    }

    /// Finds out why no connection is made. Blocks as `connect` does.
    func reach() -> Reach {
        let options = Self.defaults + [("dbname", text)]
        let keys = CStrings(options.map(\.0)), values = CStrings(options.map(\.1))
        guard PQpingParams(keys.pointers, values.pointers, 1) == PQPING_OK else { return .down }
        guard let handle = try? connect(with: [("target_session_attrs", "any")]) else { return .refused }
        PQfinish(handle)
        return .readOnly
    }

    /// Connects. Blocks for three seconds a host at most, unless the address says otherwise. `more` has options that
    /// replace those of the address.
    func connect(with more: [(String, String)] = []) throws(DatabaseError) -> OpaquePointer {
        let options = Self.defaults + [("dbname", text)] + more
        let keys = CStrings(options.map(\.0)), values = CStrings(options.map(\.1))
        guard let handle = PQconnectdbParams(keys.pointers, values.pointers, 1) else {
            throw DatabaseError(state: nil, message: "There is no memory for a connection.")
        }
        guard PQstatus(handle) == CONNECTION_OK else {
            let message = String(cString: PQerrorMessage(handle)).trimmed
            PQfinish(handle)
            throw DatabaseError(state: nil, message: message)
        }
        return handle
    }
}

extension String {
    /// libpq ends its messages with a line break.
    var trimmed: String {
        var text = self[...]
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

/// Texts in the form that C takes: a list of pointers that ends with a null pointer.
private final class CStrings {
    private let memory: [UnsafeMutablePointer<CChar>]
    let pointers: [UnsafePointer<CChar>?]

    init(_ texts: [String]) {
        memory = texts.map { text in
            let bytes = Array(text.utf8CString)
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
            copy.initialize(from: bytes, count: bytes.count)
            return copy
        }
        pointers = memory.map { UnsafePointer($0) } + [nil]
    }

    deinit { for pointer in memory { pointer.deallocate() } }
}
