import HTTPTypes
import SyncProtocol
import SyncSchema

/// What the server says of itself.
extension Endpoint {
    static func status(_ registry: Registry) -> Endpoint {
        Endpoint(
            admin: "status", registry, method: .get, id: "server_status", summary: "Read how the server is doing.",
            details: """
                For superusers. Versions, warnings, the metrics of `GET /metrics` as JSON, the slowest requests of the \
                last five minutes, and the projects with the most requests. Of several servers on one database, the \
                one that answers.
                """,
            answer: .ok("The status.", serverStatus))
    }

    private static var serverStatus: JSON {
        Schema.object(
            [
                "version": Schema.text, "schema_version": Schema.text,
                "database": Schema.text.described("The engine with its version."),
                "started_at": Schema.instant, "now": Schema.instant, "warnings": Schema.list(Schema.text),
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
