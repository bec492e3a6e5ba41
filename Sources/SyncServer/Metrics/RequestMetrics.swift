import CoreMetrics
import Hummingbird
import SyncProtocol

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
