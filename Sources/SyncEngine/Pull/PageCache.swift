import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import Synchronization

/// Keeps pages that many callers ask for. Each page is read and compressed only once.
final class PageCache: Sendable {
    private struct State {
        var pages: LRU<PageKey, SharedPage>
        var flights: [PageKey: PageFlight] = [:]
        var metrics = PageCacheMetrics()
    }

    /// What the cache has for a key.
    enum Answer {
        case kept(SharedPage)
        /// Somebody is reading it.
        case awaited(PageFlight)
        /// Nobody is reading it. The caller who gets this answer must read it, and must call `land` even if that fails.
        case missing(PageFlight)
    }

    private let state: Mutex<State>

    /// Keeps at most `bytes` bytes of pages in total.
    init(bytes: Int) { state = Mutex(State(pages: LRU(budget: bytes))) }

    func answer(to key: PageKey) -> Answer {
        state.withLock { state in
            if let page = state.pages.value(of: key) {
                state.metrics.kept += 1
                return .kept(page)
            }
            if let flight = state.flights[key] {
                state.metrics.awaited += 1
                return .awaited(flight)
            }
            let flight = PageFlight()
            state.flights[key] = flight
            state.metrics.missing += 1
            return .missing(flight)
        }
    }

    var metrics: PageCacheMetrics {
        state.withLock { state in
            var metrics = state.metrics
            metrics.pages = state.pages.count
            metrics.bytes = state.pages.cost
            return metrics
        }
    }

    /// Tells everybody who waits how the read ended. Keeps the page if it can be shared.
    func land(_ flight: PageFlight, of key: PageKey, with landing: PageLanding) {
        state.withLock { state in
            state.flights[key] = nil
            if case .shared(let page) = landing { state.pages.keep(page, of: key, cost: page.cost + key.cost) }
        }
        flight.land(landing)
    }
}

/// Everything that the shared part of a page depends on, within one
/// process. Callers with equal keys may get the same bytes.
///
/// A row in a page's range that is written later gets a number above the page's `timestamp`. A page
/// read earlier is therefore as good as one read now, with two exceptions that the key covers. A gate
/// may have closed since: `concealedSeq`, and `horizon`, because a purge forgets closed gates. And
/// `digest` describes the rows as they are now: `isCurrent`.
struct PageKey: Hashable, Sendable {
    private let project: String
    private let since: SyncSeq
    private let timestamp: SyncSeq
    private let segment: Int
    private let position: KeysetPosition
    private let form: PullForm
    private let servesAll: Bool
    private let createdAfter: SyncSeq
    private let ownCreatedBefore: SyncSeq
    /// The user whose own rows don't come in `created`; nil for nobody.
    private let splitFor: Int64?
    /// For each segment, which rows it has: all, those that no gate hides, or those of single users.
    private let kinds: [Kind]
    private let isWidened: Bool
    /// For each segment, what the caller could see of its gated collection.
    private let sights: [Sight?]
    private let concealedSeq: SyncSeq
    private let horizon: SyncSeq
    private let isCurrent: Bool
    let isPacked: Bool

    private enum Kind {
        case all, ungated, ofUser

        init(_ rows: SegmentScan.Rows) {
            switch rows {
            case .all, .hidden, .held: self = .all
            case .ungated: self = .ungated
            case .own, .listed, .beside, .lost, .heldOwn, .heldInserted: self = .ofUser
            }
        }
    }

    /// Approximate memory, in bytes.
    var cost: Int { 512 + 64 * (form.collections?.count ?? 0) + (form.migration?.binding.utf8.count ?? 0) * 4 }

    init(_ plan: PagePlan, isPacked: Bool) {
        let request = plan.request
        let access = plan.view.access
        let start = plan.start
        project = request.project
        since = request.since
        timestamp = start.timestamp
        segment = start.segment
        position = start.position
        form = request.form
        servesAll = request.servesAll
        createdAfter = request.createdAfter
        ownCreatedBefore = request.ownCreatedBefore
        splitFor = request.created == .ofOthers ? access.caller.userID : nil
        kinds = plan.drain.segments.map { Kind($0.rows) }
        // A drain from 0 does not depend on the history of the caller's role.
        isWidened = since > .zero && since < access.widenedSeq
        sights = plan.drain.segments.map(\.sight)
        concealedSeq = plan.view.concealedSeq
        horizon = access.project.horizon
        isCurrent = plan.isCurrent
        self.isPacked = isPacked
    }
}

/// A page that is being read, and the readers who wait for it.
typealias PageFlight = Flight<PageLanding>

/// How the read of a page ended.
enum PageLanding: Sendable {
    case shared(SharedPage)
    /// Every reader has to read the page itself.
    case `private`
    /// The page was not read, or it no longer fits its key. Worth another try.
    case lost
}

/// How well the page cache works. A request for an empty delta never asks the cache.
package struct PageCacheMetrics: Sendable, Equatable {
    /// Requests that were answered with a kept page.
    package var kept = 0
    /// Requests that waited for a page which somebody else was already reading.
    package var awaited = 0
    /// Requests that had to read the page.
    package var missing = 0
    package var pages = 0
    /// Approximate memory of the pages, in bytes.
    package var bytes = 0

    package init() {}
}
