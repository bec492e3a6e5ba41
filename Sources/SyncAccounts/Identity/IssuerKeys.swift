import JWTKit
import SyncProtocol
package import SyncStore

/// The keys of the outside issuer, as they were last read. Issuers change keys, so a key id that is not among them
/// causes the set to be read again, at most once a minute. If that fails, the present keys stay.
package actor IssuerKeys {
    private static let pause = Duration.seconds(60)
    private let source: KeySource
    private let clock: WallClock
    private var keys: [String: any JWTAlgorithm] = [:]
    private var readAt: Instant
    private var reading: Task<Void, Never>?

    /// Throws an `IdentityError` if the set was read and is not acceptable. If it can't be read, because its server is
    /// away, `onUnread` gets the reason, and the set is read when the first token needs it.
    package init(
        _ source: KeySource, clock: WallClock, onUnread: @Sendable (String) -> Void = { _ in }
    ) async throws {
        self.source = source
        self.clock = clock
        readAt = clock.now()
        do {
            keys = try await KeySet.read(try await source.read())
        } catch let error as IdentityError {
            throw IdentityError("\(source.name): \(error.description)")
        } catch {
            readAt = readAt.advanced(by: .seconds(-60))
            onUnread("Can't read the keys of the outside issuer from \(source.name): \(error)")
        }
    }

    /// The key with this id; nil if the issuer has none. May read the set again.
    func key(_ id: String) async -> (any JWTAlgorithm)? {
        if keys[id] == nil { await readAgain() }
        return keys[id]
    }

    /// Callers who come while the set is being read wait for it.
    private func readAgain() async {
        if let reading { return await reading.value }
        let now = clock.now()
        guard now < readAt || readAt.advanced(by: IssuerKeys.pause) <= now else { return }
        readAt = now
        let task = Task { await self.read() }
        reading = task
        await task.value
        reading = nil
    }

    private func read() async {
        guard let data = try? await source.read(), let fresh = try? await KeySet.read(data) else { return }
        keys = fresh
    }
}
