package import SyncProtocol
package import SyncStore

/// What is done to the installation as a whole, such as a backup.
extension AuditService {
    /// Throws unless the caller may do something to the installation now: `forbidden`, `read_only_token`,
    /// `reauthentication_required`. `action` begins a sentence, as in "Making a backup".
    package func requireUpkeep(_ action: String, by caller: Caller) async throws {
        try caller.requireSuperuser(action)
        try caller.requireWrite()
        let now = clock.now()
        try await store.read(.accounts) { try caller.requireFreshPassword(at: now, in: $0) }
    }

    /// Adds an entry about the installation.
    package func note(
        _ action: AuditAction, _ details: [String: JSON] = [:], by actor: Actor = .thisProcess
    ) async throws {
        let entry = AuditEntry(action, by: actor, details: details, at: clock.now())
        try await store.write(.installation) { try $0.audit(entry) }
    }
}
