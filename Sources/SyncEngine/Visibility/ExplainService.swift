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
        /// The filter of that drain and of the one before; nil for drains of everything. In it, `"@me"` is the user.
        package let filter: String?

        package init(
            user: String, collection: String, id: String, since: SyncSeq = .zero, filter: String? = nil
        ) {
            self.user = user
            self.collection = collection
            self.id = id
            self.since = since
            self.filter = filter
        }
    }

    /// The answer, of one moment. It has no value of the row, except that of the field of a gate.
    ///
    /// Throws `forbidden` for everybody but superusers, then `unknown_collection`, then `not_found` for a user that
    /// does not exist, then `invalid_filter`. A row that does not exist is explained.
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
            let reader = PartReader(registry: registry, user: user.id, parameter: "filter", allowsProjects: false)
            let explainer = Explainer(
                transaction: transaction, registry: registry, user: user, since: question.since,
                part: try question.filter.map(reader.part))
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

/// Explains in one transaction what a user sees of a row. It asks what requests of the user ask: `ItemFinder` whether
/// the user sees the row, `DrainPlan` what a drain has of it, `ProjectAccess` for everything in between. The reasons
/// only put their answers into words.
struct Explainer {
    let transaction: any ReadTransaction
    let registry: Registry
    let user: User
    /// The watermark of the drain; 0 for one of everything.
    let since: SyncSeq
    /// What the drain asks for; nil for everything.
    let part: Part?

    /// The user as a caller, whatever the credential.
    private var caller: Caller { Caller(userID: user.id, username: user.username, isSuperuser: user.isSuperuser) }

    private typealias Reason = Explanation.Reason

    func explanation(of key: RowKey) throws -> Explanation {
        let collection = registry.collection(key.collection)
        guard RowID.isValid(key.id), let row = try transaction.record(key) else {
            let detail = "There never was a row \(key.id) in \(key.collection), or it was deleted and purged."
            let code: Explanation.Code = collection.scope == .project ? .noSuchProject : .noSuchRow
            return explanation(of: key, row: nil, reasons: [Reason(code, detail)])
        }
        guard !user.isDisabled else {
            let detail = "\(user.username.rawValue) is disabled: every request is refused."
            return explanation(of: key, row: row, reasons: [Reason(.userDisabled, detail)])
        }
        do {
            let access = try ProjectAccess(caller, project: row.project, in: transaction)
            return try explanation(of: row, in: collection, access)
        } catch let problem as Problem where problem.code != .internalError {
            let words = AccessReasons(transaction: transaction, registry: registry, user: user, project: row.project)
            return explanation(of: key, row: row, reasons: [try words.refusal(problem.code)])
        }
    }

    private func explanation(
        of row: StoredRow, in collection: Collection, _ access: ProjectAccess
    ) throws -> Explanation {
        let key = RowKey(collection.name, row.id)
        let sees = try isFound(key)
        let refusal = refusal(access)
        let chain = try chain(from: row, in: collection)
        let delivery = try refusal == nil ? delivery(of: chain, in: collection, access) : .nothing
        let words = SightReasons(
            row: row, collection: collection, access: access, registry: registry, transaction: transaction)
        var reasons = try AccessReasons(
            transaction: transaction, registry: registry, user: user, project: row.project
        ).access(access)
        reasons += try words.sight() + words.deletion()
        if let part, sees { reasons += try words.place(in: part, following: chain) }
        reasons += try refusal.map { [$0] } ?? words.drain(since, delivery)
        return explanation(of: key, row: row, sees: sees, delivery: delivery, reasons: reasons)
    }

    /// Whether the user can read the row over REST.
    private func isFound(_ key: RowKey) throws -> Bool {
        do {
            _ = try ItemFinder(caller: caller, registry: registry, transaction: transaction).find(key)
            return true
        } catch let problem as Problem where problem.code != .internalError {
            return false
        }
    }

    /// Why a drain can't begin at the watermark; nil if it can.
    private func refusal(_ access: ProjectAccess) -> Reason? {
        do {
            try access.requireServable(since)
            try request(access).requireKnownPart(access.project)
            return nil
        } catch {
            let problem = error as? Problem
            return Reason(problem?.code == .sinceExpired ? .sinceExpired : .sinceAhead, problem?.detail ?? "")
        }
    }

    /// The pull that is explained.
    private func request(_ access: ProjectAccess) -> PullRequest {
        var request = PullRequest(project: access.project.id, since: since)
        request.part = part.map { PartRequest($0) }
        return request
    }

    /// The row and those that it follows.
    private func chain(from row: StoredRow, in collection: Collection) throws -> [StoredRow] {
        var chain = [row]
        var last = collection
        while let field = last.follows, let target = last.followed(in: registry),
            let id = chain[chain.count - 1].values[last.position(named: field)].string,
            let next = try transaction.record(RowKey(target.name, id))
        {
            chain.append(next)
            last = target
        }
        return chain
    }

    private func delivery(
        of chain: [StoredRow], in collection: Collection, _ access: ProjectAccess
    ) throws -> Explanation.Delivery {
        let row = chain[0]
        let plan = DrainPlan(request(access), access: access, registry: registry)
        let trace = try SightTrace(
            of: RowKey(collection.name, row.id), project: row.project, user: user.id, in: transaction)
        let bucket = plan.bucket(
            of: row, following: Array(chain.dropFirst()), in: collection, trace, upTo: access.project.head, registry)
        return switch bucket {
        case nil: .nothing
        case .deleted?: .tombstone
        case .left?: .left
        default: .row
        }
    }

    private func explanation(
        of key: RowKey, row: StoredRow?, sees: Bool = false, delivery: Explanation.Delivery = .nothing,
        reasons: [Explanation.Reason]
    ) -> Explanation {
        Explanation(
            user: user, key: key, project: row?.project, sees: sees, delivery: delivery, reasons: reasons)
    }
}
