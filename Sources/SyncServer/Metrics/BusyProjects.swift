import HTTPTypes
import Hummingbird
import SyncAccounts
import SyncProtocol
import SyncStore
import Synchronization

/// The projects with the most requests of the last minutes, in little memory: each minute has a table of a fixed size.
/// A project that finds the table full takes the place of the one with the fewest requests, and what that one had is
/// not counted for it (the algorithm Space-Saving, https://doi.org/10.1007/978-3-540-30570-5_27). So no figure is too
/// high, and a project with much more than its share of the requests is never missing.
final class BusyProjects: Sendable {
    struct Entry: Sendable, Equatable {
        let project: String
        var requests: Int
        var uploads: Int
    }

    /// The counts of one minute.
    private struct Table {
        private struct Place {
            var count = 0
            /// What of the count may belong to projects that were here before.
            var foreign = 0
            var uploads = 0

            mutating func add(_ isUpload: Bool) {
                count += 1
                if isUpload { uploads += 1 }
            }
        }

        /// Minutes since 1970.
        let minute: Int64
        private var places: [String: Place] = [:]
        /// Projects that had `fewest` requests, and no project had fewer, when they were listed. So a full table is not
        /// searched for each project that finds it full.
        private var least: [String] = []
        private var fewest = 0

        init(minute: Int64) { self.minute = minute }

        mutating func add(_ project: String, isUpload: Bool) {
            guard places[project] == nil else {
                places[project]!.add(isUpload)
                return
            }
            var place = Place()
            if places.count == BusyProjects.places {
                removeLeast()
                place.count = fewest
                place.foreign = fewest
            }
            place.add(isUpload)
            places[project] = place
        }

        /// Removes a project with the fewest requests. Counts only rise, so one that was listed and still has that many
        /// is such a project.
        private mutating func removeLeast() {
            while true {
                while let project = least.popLast() {
                    if places[project]?.count == fewest { return places[project] = nil }
                }
                fewest = places.values.map(\.count).min() ?? 0
                least = places.filter { $0.value.count == fewest }.map(\.key)
            }
        }

        func add(to sums: inout [String: Entry]) {
            for (project, place) in places {
                var entry = sums[project] ?? Entry(project: project, requests: 0, uploads: 0)
                entry.requests += place.count - place.foreign
                entry.uploads += place.uploads
                sums[project] = entry
            }
        }
    }

    /// How long requests are counted, in minutes, the present one included.
    static let minutes: Int64 = 5
    /// The most projects of a minute.
    static let places = 256
    /// The most projects in an answer.
    private static let most = 20

    private let clock: WallClock
    private let tables = Mutex<[Table]>([])

    init(_ clock: WallClock) { self.clock = clock }

    func note(_ project: String, isUpload: Bool) {
        let minute = clock.now().milliseconds / 60_000
        tables.withLock { tables in
            if tables.last?.minute != minute {
                // A clock that was set back begins again.
                tables.removeAll { !(minute - Self.minutes + 1..<minute).contains($0.minute) }
                tables.append(Table(minute: minute))
            }
            tables[tables.count - 1].add(project, isUpload: isUpload)
        }
    }

    /// The busiest first. Projects with equally many requests are sorted by id.
    var all: [Entry] {
        let minute = clock.now().milliseconds / 60_000
        var sums: [String: Entry] = [:]
        for table in tables.withLock({ $0 }) where minute - Self.minutes < table.minute && table.minute <= minute {
            table.add(to: &sums)
        }
        let sorted = sums.values.sorted { ($1.requests, $0.project) < ($0.requests, $1.project) }
        return Array(sorted.prefix(Self.most))
    }
}

extension BusyProjects.Entry {
    func json(_ names: [String: JSON]) -> JSON {
        [
            "project_id": .string(project), "project_name": names[project] ?? .null,
            "requests": .int(Int64(requests)), "uploads": .int(Int64(uploads)),
            "seconds": .int(BusyProjects.minutes * 60),
        ]
    }
}

/// Counts the requests of each project. Only those that were answered count, so an id that nobody has is not counted.
/// A user-wide upload counts for the projects that it wrote to.
struct ProjectObserver: RouterMiddleware {
    let busy: BusyProjects

    func handle(
        _ request: Request, context: CallerContext,
        next: @concurrent (Request, CallerContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        let isUpload = context.uploading != nil
        if let project = context.parameters.get("project") { busy.note(project, isUpload: isUpload) }
        for project in context.uploading?.projects ?? [] { busy.note(project, isUpload: true) }
        return response
    }
}
