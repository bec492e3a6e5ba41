import CoreMetrics
import HTTPTypes
import Hummingbird
import SyncProtocol
import Synchronization

/// The metrics of one route. A route without requests has no lines in `GET /metrics`.
final class RouteMetrics: Sendable {
    private struct Outcome: Hashable {
        let method: HTTPRequest.Method
        let status: Int
    }

    private struct Handles {
        var durations: Timer?
        var requests: [Outcome: Counter] = [:]
    }

    /// The label of requests that match no route.
    static let unknown = "unknown"

    /// The path's template, never a path itself: that would make a label for each row.
    let route: String
    private let registry: MetricsRegistry
    private let handles = Mutex(Handles())

    init(_ route: String, _ registry: MetricsRegistry) {
        self.route = route
        self.registry = registry
    }

    func count(_ method: HTTPRequest.Method, _ status: HTTPResponse.Status, nanoseconds: Int64) {
        let outcome = Outcome(method: method, status: status.code)
        let (durations, requests) = handles.withLock { (self.durations(&$0), self.requests(outcome, &$0)) }
        durations.recordNanoseconds(nanoseconds)
        requests.increment()
    }

    private func durations(_ handles: inout Handles) -> Timer {
        if let known = handles.durations { return known }
        let made = Timer(label: Metric.durations.name, dimensions: [("route", route)], factory: registry)
        handles.durations = made
        return made
    }

    private func requests(_ outcome: Outcome, _ handles: inout Handles) -> Counter {
        if let known = handles.requests[outcome] { return known }
        guard HTTPRequest.Method.all.contains(outcome.method) else {
            // All made-up methods share one label, because anybody can make up many.
            return counter("other", outcome.status)
        }
        let made = counter(outcome.method.rawValue, outcome.status)
        handles.requests[outcome] = made
        return made
    }

    /// A second counter with the same labels continues the first.
    private func counter(_ method: String, _ status: Int) -> Counter {
        let labels = [("route", route), ("method", method), ("status", String(status))]
        return Counter(label: Metric.requests.name, dimensions: labels, factory: registry)
    }
}

/// Metrics of a server's requests by route, and of refusals by error code.
struct RequestMetrics: Sendable {
    /// By the path as the router names it: without a slash at the end, with and without the prefix.
    private let routes: [String: RouteMetrics]
    private let unknown: RouteMetrics
    private let problems: [ErrorCode: Counter]

    init(_ endpoints: [Endpoint], prefixes: [String], _ registry: MetricsRegistry) {
        var routes: [String: RouteMetrics] = [:]
        for (path, endpoints) in Dictionary(grouping: endpoints, by: \.path) {
            let metrics = RouteMetrics(path, registry)
            for path in Set([path] + endpoints.flatMap(\.otherPaths)) {
                for prefix in prefixes { routes[RouterPath(prefix + path).description] = metrics }
            }
        }
        self.routes = routes
        unknown = RouteMetrics(RouteMetrics.unknown, registry)
        problems = Dictionary(
            uniqueKeysWithValues: ErrorCode.allCases.map { code in
                (code, Counter(label: Metric.problems.name, dimensions: [("code", code.rawValue)], factory: registry))
            })
    }

    /// The metrics of the route that the request took, or those of `unknown` if it took none.
    func route(_ context: ServerContext) -> RouteMetrics {
        context.endpointPath.flatMap { routes[$0] } ?? unknown
    }

    func count(_ problem: Problem) { problems[problem.code]?.increment() }
}
