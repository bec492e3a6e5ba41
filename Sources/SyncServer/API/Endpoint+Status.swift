import HTTPTypes
import Hummingbird
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore

/// What the server says of itself.
extension Endpoint {
    static func status(_ registry: Registry) -> Endpoint {
        Endpoint(
            admin: "status", registry, method: .get, id: "server_status", summary: "Read how the server is doing.",
            details: """
                For superusers. Versions, what keeps the server from working or may soon, warnings, the metrics of \
                `GET /metrics` as JSON, the slowest requests of the last five minutes, and the projects with the most \
                requests. Of several servers on one database, the one that answers.
                """,
            answer: .ok("The status.", serverStatus))
    }

    private static var serverStatus: JSON {
        Schema.object(
            [
                "version": Schema.text.described("The release, with the commits since."),
                "layout": Schema.integer.described("The number of the database's layout."),
                "schema_version": Schema.text,
                "database": Schema.text.described("The engine with its version."),
                "started_at": Schema.instant, "now": Schema.instant,
                "causes": Schema.list(AnswerShape<StandingCause>.cause.schema), "warnings": Schema.list(Schema.text),
                "metrics": Schema.list(metric), "slowest_requests": Schema.list(slowRequest),
                "busiest_projects": Schema.list(busyProject),
            ], title: "ServerStatus")
    }

    private static var metric: JSON {
        let bucket = Schema.object(
            [
                "le": ["type": "number"],
                "count": Schema.integer.described("How many values are not greater than `le`."),
            ], title: "Bucket")
        return Schema.object(
            [
                "name": Schema.text, "kind": ["enum": ["counter", "gauge", "histogram"]],
                "labels": Schema.map(Schema.text),
                "value": ["type": "number", "description": "Of a counter or gauge."],
                "sum": ["type": "number", "description": "Of a histogram."],
                "count": Schema.integer.described("Of a histogram."), "buckets": Schema.list(bucket),
            ], optional: ["value", "sum", "count", "buckets"], title: "Metric")
    }

    private static var busyProject: JSON {
        Schema.object(
            [
                "project_id": Schema.text, "project_name": Schema.nullableText,
                "requests": Schema.integer.described("Requests that were not refused."), "uploads": Schema.integer,
                "seconds": Schema.integer.described("In how many seconds, at most."),
            ], title: "BusyProject")
    }

    private static var slowRequest: JSON {
        Schema.object(
            [
                "at": Schema.instant, "request_id": Schema.text.described("As in the log."), "method": Schema.text,
                "route": Schema.text, "status": Schema.integer, "milliseconds": Schema.integer,
            ], title: "SlowRequest")
    }
}

/// `GET /admin/status/`.
struct ServerStatusController<Store: SyncStore>: Sendable {
    let services: Services<Store>
    let metrics: ServerMetrics
    let causes: CauseList
    let slow: SlowRequests
    let busy: BusyProjects
    let startedAt: Instant

    func status(_ request: Request, _ context: CallerContext) async throws -> Response {
        try context.caller.requireSuperuser("Reading the server's status")
        let busiest = busy.all
        let names = try await services.storage.names(of: busiest.map(\.project))
        let status = ServerStatus(
            schema: services.registry.version, store: services.store.metrics, startedAt: startedAt,
            now: services.clock.now(), causes: causes.look(), samples: metrics.registry.samples(), slowest: slow.all,
            busiest: busiest.map { $0.json(names) })
        return Reply(status.json).response(to: request)
    }
}

/// What a server says of itself to superusers. `tidemark_…` are its metrics, which are those of `GET /metrics`.
struct ServerStatus {
    let schema: String
    let store: StoreMetrics
    let startedAt: Instant
    let now: Instant
    let causes: [StandingCause]
    let samples: [Sample]
    let slowest: [SlowRequests.Entry]
    let busiest: [JSON]

    var json: JSON {
        [
            "version": .string(Release.build), "layout": .int(Int64(store.layout)), "schema_version": .string(schema),
            "database": .string(store.engine), "started_at": .string(startedAt.text),
            "now": .string(now.text), "causes": .array(causes.map(AnswerShape.cause.json)),
            "warnings": .array((store.warnings + store.flaws).map(JSON.string)),
            "metrics": .array(samples.compactMap(\.json)), "slowest_requests": .array(slowest.map(\.json)),
            "busiest_projects": .array(busiest),
        ]
    }
}

extension Sample {
    /// Nil for a sample of no known family. Each bucket of a histogram also counts the values in the buckets below it;
    /// `count` has those above the last bound, too.
    fileprivate var json: JSON? {
        guard let metric = Metric.named[series.name] else { return nil }
        var members: [String: JSON] = [
            "name": .string(metric.name), "kind": .string(metric.kind.rawValue),
            "labels": .object(
                Dictionary(series.labels.map { ($0.name, JSON.string($0.value)) }, uniquingKeysWith: { $1 })),
        ]
        switch reading {
        case .number(let value): members["value"] = JSON(value)
        case .histogram(let histogram):
            members["sum"] = JSON(histogram.sum)
            members["count"] = .int(Int64(histogram.count))
            members["buckets"] = .array(histogram.cumulative.map { ["le": JSON($0), "count": .int(Int64($1))] })
        }
        return .object(members)
    }
}

extension Histogram {
    fileprivate var cumulative: [(bound: Double, count: Int)] {
        var count = 0
        return zip(bounds, counts).map { bound, bucket in
            count += bucket
            return (bound, count)
        }
    }
}
