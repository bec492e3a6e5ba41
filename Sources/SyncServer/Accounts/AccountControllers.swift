import SyncAccounts
import SyncEngine
import SyncSchema
import SyncStore

/// The controllers for accounts, with the services that they need.
struct AccountControllers<Store: SyncStore>: Sendable {
    let authenticator: Authenticator<Store>
    let auth: AuthController<Store>
    let tokens: TokenController<Store>
    let users: UserController<Store>

    /// Throws an `IdentityError` if the settings of the outside identity don't go together.
    init(_ accounts: Accounts, store: Store, registry: Registry, clock: WallClock) async throws {
        let (settings, accessTokens) = (accounts.settings, try await Installation.accessTokens(store))
        authenticator = Authenticator(
            store: store, tokens: accessTokens,
            identity: try accounts.keys.map { try OutsideIdentity(settings, keys: $0, store: store, clock: clock) },
            clock: clock)
        let directory = UserDirectory(store: store)
        let sessions = SessionService(
            store: store, tokens: accessTokens, passwords: accounts.passwords, settings: settings, clock: clock)
        auth = AuthController(
            sessions: sessions, directory: directory,
            address: ClientAddress(trustsForwardedFor: settings.trustsForwardedFor))
        tokens = TokenController(service: TokenService(store: store, clock: clock))
        users = UserController(directory: directory)
    }
}
