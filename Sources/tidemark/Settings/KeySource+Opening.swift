import Foundation
import SyncAccounts
import SyncAsyncHTTPClient
import SyncClientCore
import SyncServer
import SyncStore

extension KeySource {
    /// The most bytes of a key set that is fetched.
    private static let limit = 1 << 20

    /// `place` is a file's path or an https URL. http is allowed on the
    /// loopback, where nobody can listen in. Throws an `IdentityError`.
    static func opening(_ place: String) throws -> KeySource {
        guard let url = URL(string: place), let scheme = url.scheme?.lowercased(), place.contains("://") else {
            return KeySource(name: place) { try file(place) }
        }
        let isLoopback = ["127.0.0.1", "::1", "[::1]", "localhost"].contains(url.host()?.lowercased())
        guard scheme == "https" || (scheme == "http" && isLoopback) else {
            throw IdentityError("\(place) must be an https URL, because keys that come over http can be forged.")
        }
        return KeySource(name: place) { try await fetched(place) }
    }

    private static func file(_ path: String) throws -> Data {
        do {
            return try InputFile.read(path, "key set")
        } catch let error as CommandError {
            throw IdentityError(error.description)
        }
    }

    private static func fetched(_ url: String) async throws -> Data {
        let transport = AsyncHTTPClientTransport(bodyLimit: limit)
        let response: TransportResponse
        do {
            response = try await transport.send(TransportRequest(url: url, timeout: .seconds(10)))
        } catch {
            try? await transport.shutdown()
            throw error
        }
        try await transport.shutdown()
        guard response.status == 200 else { throw CommandError("the answer is \(response.status)") }
        return response.body
    }
}

extension Accounts {
    /// Reads the outside issuer's keys, if there is one. Throws an `IdentityError`.
    init(_ settings: AccountSettings) async throws {
        self.init(settings: settings)
        let parts = [settings.identityIssuer, settings.identityAudience, settings.identityKeys]
        guard parts.contains(where: { !$0.isEmpty }) else { return }
        guard parts.allSatisfy({ !$0.isEmpty }) else {
            throw IdentityError(
                "An outside identity needs TIDEMARK_IDENTITY_ISSUER, TIDEMARK_IDENTITY_AUDIENCE "
                    + "and TIDEMARK_IDENTITY_KEYS.")
        }
        keys = try await IssuerKeys(
            .opening(settings.identityKeys), clock: .system, onUnread: { Terminal.message($0) })
    }
}
