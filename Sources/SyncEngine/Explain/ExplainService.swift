package import SyncAccounts
package import SyncProtocol
package import SyncSchema
package import SyncStore

/// Tells superusers whether a user sees a row, and why.
package struct ExplainService<Store: SyncStore>: Sendable {
    private let store: Store
    private let registry: Registry

    package init(store: Store, registry: Registry) {
        self.store = store
        self.registry = registry
    }

    /// A question about a user and a row.
    package struct Question: Sendable {
        /// An account's id or name.
        package let user: String
        package let collection: String
        package let id: String
        /// The watermark of the drain that is explained; 0 for one of everything.
        package let since: SyncSeq

        package init(user: String, collection: String, id: String, since: SyncSeq = .zero) {
            (self.user, self.collection, self.id, self.since) = (user, collection, id, since)
        }
    }

    /// The answer, of one moment. It has no value of the row, except that of the field of a gate.
    ///
    /// Throws `forbidden` for everybody but superusers, then `unknown_collection`, then `not_found` for a user that
    /// does not exist. A row that does not exist is explained.
    package func explain(_ question: Question, for caller: Caller) async throws -> Explanation {
        try caller.requireSuperuser("Asking what others see")
        guard registry[question.collection] != nil else {
            throw Problem(.unknownCollection, "There is no collection \(question.collection).")
        }
        let key = RowKey(question.collection, question.id)
        return try await store.read(.row(key)) { transaction in
            guard let user = try transaction.user(named: question.user) else {
                throw Problem(.notFound, "There is no user with this id or name.")
            }
            let explainer = Explainer(
                transaction: transaction, registry: registry, user: user, since: question.since)
            return try explainer.explanation(of: key)
        }
    }
}

extension ReadTransaction {
    /// The user with this id, or else with this name.
    fileprivate func user(named text: String) throws -> User? {
        if let id = SyncSeq(decimal: text)?.rawValue, let user = try user(id: id) { return user }
        return try user(typed: text)
    }
}
