/// An error of the server or of the connection to it.
struct DatabaseError: Error, CustomStringConvertible {
    /// SQLSTATE; nil if the server did not answer: https://www.postgresql.org/docs/15/errcodes-appendix.html
    let state: String?
    let message: String

    /// A commit that the primary has and a standby may not have.
    static let notReplicated = DatabaseError(state: nil, message: "The wait for the standby was cancelled.")

    var description: String { "\(message) (\(state ?? "no answer"))" }

    /// Whether the connection is lost.
    var isConnectionLost: Bool { state == nil || state?.hasPrefix("57P") == true || state?.hasPrefix("08") == true }

    /// Whether the same transaction may succeed on a second try: a deadlock, a serialization failure, a lock that did
    /// not come in time, a statement whose plan does not fit the table any more, or a lost connection.
    var isPassing: Bool {
        isConnectionLost || state?.hasPrefix("40") == true || state == "55P03" || state == "0A000" || isReadOnly
    }

    /// Whether another transaction took a unique key or removed a row that this one refers to.
    var isConflict: Bool { state == "23505" || state == "23503" }

    /// Whether a write may succeed on a second try.
    var isWorthAnotherTry: Bool { isPassing || isConflict }

    /// How often something without effects is tried if it fails by a passing error.
    private static let mostTries = 3

    /// Runs `body`, which has no effects, again if it fails by a passing error such as a lost connection.
    static func retryingPassing<Value>(_ body: () async throws -> Value) async throws -> Value {
        for _ in 1..<mostTries {
            do { return try await body() } catch let error as DatabaseError where error.isPassing { continue }
        }
        return try await body()
    }

    /// Whether the server has no room: of memory, disk or connections.
    var isOutOfResources: Bool { state?.hasPrefix("53") == true }

    /// Whether the server's disk is full.
    var saysNoRoom: Bool { state == "53100" }

    /// Whether the server takes no writes: a standby, or a database that was set to be read-only.
    var isReadOnly: Bool { state == "25006" }

    /// Whether a statement took longer than it may.
    var isTooSlow: Bool { state == "57014" }

    /// Whether the server reports damaged data.
    var saysDamage: Bool { state == "XX001" || state == "XX002" }
}
