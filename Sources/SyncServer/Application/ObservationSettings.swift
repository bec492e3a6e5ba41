/// The operator's settings for metrics and the log.
package struct ObservationSettings: Sendable, Equatable {
    package var metrics = MetricsSettings()
    package var log = LogSettings()

    package init() {}
}
