import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// Explains in one transaction what a user sees of a row. It asks what requests of the user ask: `ItemFinder` whether
/// the user sees the row, `DrainPlan` what a drain has of it, `ProjectAccess` for everything in between. The reasons
/// only put their answers into words.
struct Explainer {
    let transaction: any ReadTransaction
    let registry: Registry
    let user: User
    /// The watermark of the drain; 0 for one of everything.
    let since: SyncSeq

    /// The user as a caller, whatever the credential.
    private var caller: Caller { Caller(userID: user.id, username: user.username, isSuperuser: user.isSuperuser) }

    private typealias Reason = Explanation.Reason

    func explanation(of key: RowKey) throws -> Explanation {
        let collection = registry.collection(key.collection)
        guard RowID.isValid(key.id), let row = try transaction.record(key) else {
            let detail = "There never was a row \(key.id) in \(key.collection), or it was deleted and purged."
            let code: Explanation.Code = collection.scope == .project ? .noSuchProject : .noSuchRow
            return explanation(key, nil, reasons: [Reason(code, detail)])
        }
        guard !user.isDisabled else {
            let detail = "\(user.username.rawValue) is disabled: every request is refused."
            return explanation(key, row, reasons: [Reason(.userDisabled, detail)])
        }
        do {
            let access = try ProjectAccess(caller, project: row.project, in: transaction)
            return try explanation(of: row, in: collection, access)
        } catch let problem as Problem where problem.code != .internalError {
            let words = AccessReasons(transaction: transaction, registry: registry, user: user, project: row.project)
            return explanation(key, row, reasons: [try words.refusal(problem.code)])
        }
    }

    private func explanation(
        of row: StoredRow, in collection: Collection, _ access: ProjectAccess
    ) throws -> Explanation {
        let key = RowKey(collection.name, row.id)
        let sees = try isFound(key)
        let refusal = refusal(access)
        let delivery = try refusal == nil ? delivery(of: row, in: collection, access) : .nothing
        let words = SightReasons(
            row: row, collection: collection, access: access, registry: registry, transaction: transaction)
        var reasons = try AccessReasons(
            transaction: transaction, registry: registry, user: user, project: row.project
        ).access(access)
        reasons += try words.sight() + words.deletion()
        reasons += refusal.map { [$0] } ?? words.drain(since, delivery)
        return explanation(key, row, sees: sees, delivery, reasons: reasons)
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
            return nil
        } catch {
            let problem = error as? Problem
            return Reason(problem?.code == .sinceExpired ? .sinceExpired : .sinceAhead, problem?.detail ?? "")
        }
    }

    private func delivery(
        of row: StoredRow, in collection: Collection, _ access: ProjectAccess
    ) throws -> Explanation.Delivery {
        let plan = DrainPlan(PullRequest(project: row.project, since: since), access, registry)
        let lostAt = try transaction.lossSeq(
            of: RowKey(collection.name, row.id), project: row.project, user: user.id)
        return switch plan.bucket(of: row, in: collection, lostAt: lostAt, upTo: access.project.head) {
        case nil: .nothing
        case .deleted?: .tombstone
        default: .row
        }
    }

    private func explanation(
        _ key: RowKey, _ row: StoredRow?, sees: Bool = false, _ delivery: Explanation.Delivery = .nothing,
        reasons: [Explanation.Reason]
    ) -> Explanation {
        Explanation(
            user: user, key: key, project: row?.project, sees: sees, delivery: delivery, reasons: reasons)
    }
}
