import SyncStore

extension PullService {
    /// How many times to try for a shared page before the caller reads its
    /// own. A try fails if the page no longer fits its key.
    private static var attempts: Int { 3 }

    /// A page from the cache, from a reader who is reading it just now, or read by `read` in one transaction.
    /// `makePlan` is called before each look at the cache.
    func served<Plan: CacheablePlan>(
        isPacked: Bool, plan makePlan: () async throws -> Plan, read: () async throws -> (Plan, SharedPage)
    ) async throws -> (Plan, SharedPage) {
        for _ in 0..<Self.attempts {
            let plan = try await makePlan()
            guard let cache, let shared = plan.shared else { break }
            let key = PageKey(shared, isPacked: isPacked)
            switch cache.answer(to: key) {
            case .kept(let page): return (plan, page)
            case .missing(let flight): return try await share(key, flight, cache, read)
            case .awaited(let flight):
                switch await flight.landing() {
                case .shared(let page): return (plan, page)
                case .private: return try await read()
                case .lost: break
                }
            }
        }
        return try await read()
    }

    /// Reads a page, and shares it with everybody who waits for it if it can be shared.
    private func share<Plan: CacheablePlan>(
        _ key: PageKey, _ flight: PageFlight, _ cache: PageCache, _ read: () async throws -> (Plan, SharedPage)
    ) async throws -> (Plan, SharedPage) {
        var landing = PageLanding.lost
        defer { cache.land(flight, of: key, with: landing) }
        var (plan, page) = try await read()
        // What the caller may see may have changed since the key was made.
        guard let shared = plan.shared, PageKey(shared, isPacked: key.isPacked) == key else { return (plan, page) }
        landing = .private
        guard page.isShareable else { return (plan, page) }
        if key.isPacked, let packer { page.pack(by: packer) } else { page.trim() }
        landing = .shared(page)
        return (plan, page)
    }
}
