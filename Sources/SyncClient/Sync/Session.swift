/// Whom a sync talks to, what it fills, and how.
struct Session: Sendable {
    let remote: Remote
    let transport: any Transport
    let replica: Replica
    let environment: SyncEnvironment

    /// Throws only what ends a sync at once; a transport that failed is an answer too.
    func exchange(_ request: TransportRequest) async throws -> Result<TransportResponse, TransportError> {
        do {
            return .success(try await transport.send(request))
        } catch let error as TransportError {
            return .failure(error)
        }
    }

    /// Wipes the replica; answers what to throw.
    func wipe(_ reason: WipeReason, detail: String) throws -> SyncError {
        let setAside = try replica.wipe(reason, at: environment.wallClock())
        return .wiped(reason, detail: detail, setAside: setAside)
    }
}
