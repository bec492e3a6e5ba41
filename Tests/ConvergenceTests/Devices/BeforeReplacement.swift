import SyncClientCore

/// A sound network. The device's process dies before it asks for the first page of a replacement.
struct BeforeReplacement: Transport {
    let server: AlternatingTransport

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        if request.url.contains("/sync/?since=0") { throw Death() }
        return try await server.send(request)
    }
}
