package import SyncAccounts
package import SyncEngine
import SyncProtocol
package import SyncSchema
package import SyncStore

/// Every service on one store. Only this type makes services; controllers, commands and tests get theirs from here.
package struct Services<Store: SyncStore>: Sendable {
    package let store: Store
    package let registry: Registry
    package let clock: WallClock
    package let settings: SyncSettings
    package let accountSettings: AccountSettings

    package let accounts: AccountService<Store>
    package let authenticator: Authenticator<Store>
    package let sessions: SessionService<Store>
    package let tokens: TokenService<Store>
    package let members: MemberService<Store>
    package let directory: UserDirectory<Store>
    package let people: PeopleService<Store>
    package let audit: AuditService<Store>

    package let pulls: PullService<Store>
    package let uploads: UploadService<Store>
    package let inbox: InboxService<Store>
    package let lostEdits: LostEditService<Store>
    package let items: ItemService<Store>
    package let histories: HistoryService<Store>
    package let storage: StorageService<Store>
    package let explanations: ExplainService<Store>
    package let projects: ProjectService<Store>
    package let exports: ProjectExport<Store>
    package let purges: PurgeService<Store>
    package let recordPurges: RecordPurge<Store>
    package let devices: DeviceService<Store>
    package let tickets: TicketService<Store>
    package let feed: CommitFeed<Store>
    /// Why tokens of the outside issuer are refused.
    let identityRefusals: IdentityRefusals
    package let events: EventService<Store>
    package let files: FileService<Store>
    package let fileUploads: FileUploadService<Store>
    /// How long an upload stays that gets no bytes.
    let fileUploadAge: Duration
    /// Who gets interim answers to uploads.
    let interimAnswers: InterimAnswers
    /// Nil if the server keeps no files.
    package let fileSweep: FileSweep<Store>?
    /// Nil if the server keeps no files.
    package let fileComparison: FileComparison<Store>?

    /// Prepares the installation first. `deadline` replaces the one from the settings.
    /// Throws a `SchemaError` for a rule that does not exist, and an `IdentityError`
    /// for incomplete or contradictory settings of the outside identity.
    package init(
        store: Store, registry: Registry, settings: SyncSettings = SyncSettings(), accounts: Accounts = Accounts(),
        files: (any FileStore)? = nil, fileSettings: FileSettings = FileSettings(), clock: WallClock = .system,
        newID: NewID = .uuid, deadline: StreamDeadline? = nil
    ) async throws {
        try await Installation.prepare(store)
        self.store = store
        self.registry = registry
        self.clock = clock
        self.settings = settings
        accountSettings = accounts.settings
        let accessTokens = try await Installation.accessTokens(store)
        self.accounts = AccountService(store: store, clock: clock, passwords: accounts.passwords)
        let refusals = IdentityRefusals()
        identityRefusals = refusals
        authenticator = Authenticator(
            store: store, tokens: accessTokens,
            identity: try accounts.keys.map {
                try OutsideIdentity(
                    accounts.settings, keys: $0, store: store, clock: clock, refusals: refusals)
            }, clock: clock)
        sessions = SessionService(
            store: store, tokens: accessTokens, passwords: accounts.passwords, settings: accounts.settings,
            clock: clock)
        tokens = TokenService(store: store, clock: clock)
        members = MemberService(store: store, registry: registry, clock: clock, newID: newID)
        directory = UserDirectory(store: store)
        let users = UserProjectsCache()
        pulls = try await PullService(
            store: store, registry: registry,
            limits: StreamSettings(deadline: deadline ?? settings.deadline, places: settings.streams),
            cacheBytes: settings.pageCacheMegabytes << 20, packer: GzipPages(), clock: clock, users: users)
        let retention = settings.uploadRetention
        uploads = UploadService(
            store: store, registry: registry, clock: clock, retention: retention,
            limits: UploadLimits(
                perProject: settings.uploadRatePerProject, perUser: settings.uploadRatePerUser, clock: clock,
                servers: { store.servers }),
            quotas: settings.quotas, users: users, newID: newID)
        inbox = InboxService(store: store, registry: registry, clock: clock, retention: retention.inbox)
        lostEdits = LostEditService(store: store, clock: clock, retention: retention.inbox)
        let writes = UploadLimits(
            perProject: settings.writeRatePerProject, perUser: settings.writeRatePerUser, clock: clock,
            servers: { store.servers })
        items = ItemService(
            store: store, registry: registry, clock: clock, newID: newID, retention: retention.batches,
            limits: writes, bytes: retention.bytes, quotas: settings.quotas)
        projects = ProjectService(
            store: store, registry: registry, clock: clock, newID: newID, retention: retention.batches, limits: writes,
            quotas: settings.quotas)
        exports = ProjectExport(store: store, registry: registry)
        purges = PurgeService(store: store, registry: registry, clock: clock)
        recordPurges = RecordPurge(store: store, clock: clock, retention: retention)
        devices = DeviceService(store: store, clock: clock)
        histories = HistoryService(
            store: store, registry: registry, clock: clock, retention: retention.history, ledger: devices.ledger)
        people = PeopleService(
            store: store, accounts: self.accounts, members: members, ledger: devices.ledger, clock: clock)
        audit = AuditService(store: store, clock: clock)
        storage = StorageService(store: store, registry: registry, clock: clock)
        explanations = ExplainService(store: store, registry: registry)
        tickets = TicketService(store: store, clock: clock)
        events = EventService(store: store, users: users)
        self.files = FileService(
            store: store, files: files, registry: registry, limits: fileSettings.limits, writes: writes,
            clock: clock, newID: newID)
        fileUploads = FileUploadService(self.files, store: store, clock: clock, newID: newID)
        fileUploadAge = fileSettings.uploadAge
        interimAnswers = InterimAnswers(
            setting: fileSettings.sendsInterim, trustsForwardedFor: accounts.settings.trustsForwardedFor)
        fileComparison = files.map { FileComparison(store: store, files: $0, registry: registry, clock: clock) }
        fileSweep = files.map {
            FileSweep(
                store: store, files: $0, age: fileSettings.sweepAge, uploadAge: fileSettings.uploadAge, clock: clock)
        }
        feed = CommitFeed(store: store, credentials: CredentialCheck(store: store))
    }
}

extension Services {
    /// Removes files that no row has named for so long. Returns how many. Throws `no_file_store`.
    package func sweepFiles(olderThan age: Duration) async throws -> Int {
        guard let fileSweep else { throw Problem.noFileStore }
        return try await fileSweep.run(olderThan: age)
    }
}

/// What the server needs for accounts besides the store.
package struct Accounts: Sendable {
    package var settings: AccountSettings
    package var passwords: Passwords
    /// The outside issuer's keys; nil if there is no outside identity.
    package var keys: IssuerKeys?

    package init(
        settings: AccountSettings = AccountSettings(), passwords: Passwords = Passwords(), keys: IssuerKeys? = nil
    ) {
        self.settings = settings
        self.passwords = passwords
        self.keys = keys
    }
}
