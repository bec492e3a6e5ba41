/// What an operator can set about `GET /metrics`.
package struct MetricsSettings: Sendable, Equatable {
    /// Whether it is answered; `TIDEMARK_METRICS_ENABLED`.
    package var isEnabled = true
    /// The bearer token that it takes. Empty: it is answered on the server's own machine only; `TIDEMARK_METRICS_TOKEN`.
    package var token = ""

    package init() {}
}
