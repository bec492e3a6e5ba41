package import SyncProtocol
package import SyncStore

/// What is done to the installation as a whole, such as a backup.
extension AuditService {
    /// Adds an entry about the installation.
    package func note(
        _ action: AuditAction, _ details: [String: JSON] = [:], by actor: Actor = .thisProcess
    ) async throws {
        let entry = AuditEntry(action, by: actor, details: details, at: clock.now())
        try await store.write(.installation) { try $0.audit(entry) }
    }
}
