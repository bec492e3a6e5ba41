/// The operator's settings for `GET /metrics`.
package struct MetricsSettings: Sendable, Equatable {
    /// Whether the metrics are served; `TIDEMARK_METRICS_ENABLED`.
    package var isEnabled = true
    /// The bearer token that is required. If it is empty, only the
    /// server's own machine may ask; `TIDEMARK_METRICS_TOKEN`.
    package var token = ""

    package init() {}
}
