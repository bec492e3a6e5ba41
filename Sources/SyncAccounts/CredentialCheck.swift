import SyncProtocol
package import SyncStore

/// Says whether callers who authenticated earlier still could, with the same credential.
package struct CredentialCheck<Store: SyncStore>: Sendable {
    /// Callers that are looked up in one read, which keeps a thread for some milliseconds.
    private static var batch: Int { 200 }

    private let store: Store

    package init(store: Store) { self.store = store }

    /// The elements whose caller could not authenticate now: the token was deleted, the session has ended or the
    /// account is disabled. That a credential has expired is not looked at.
    package func invalid<Element>(
        among elements: [Element], _ caller: (Element) -> Caller
    ) async throws -> [Element] {
        var invalid: [Element] = []
        for start in stride(from: 0, to: elements.count, by: Self.batch) {
            let batch = elements[start..<min(start + Self.batch, elements.count)]
            let callers = batch.map(caller)
            let known = try await store.readInline(.accounts) { transaction in
                try callers.map { try transaction.knows($0) }
            }
            invalid += zip(batch, known).filter { !$0.1 }.map(\.0)
        }
        return invalid
    }
}

extension ReadTransaction {
    /// Whether the caller's credential still exists, and the account is not disabled.
    func knows(_ caller: Caller) throws -> Bool {
        guard let user = try user(id: caller.userID), !user.isDisabled else { return false }
        let credential = caller.credential.rawValue
        if let token = credential.dropping(prefix: "token:").flatMap(Int64.init) {
            return try tokens(of: caller.userID, after: token - 1, limit: 1).first?.id == token
        }
        if let session = credential.dropping(prefix: "session:") {
            return try self.session(session)?.userID == caller.userID
        }
        return true
    }
}

extension String {
    fileprivate func dropping(prefix: String) -> String? { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil }
}
