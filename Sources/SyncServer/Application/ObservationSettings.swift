/// What an operator can set about watching the server.
package struct ObservationSettings: Sendable, Equatable {
    package var metrics = MetricsSettings()
    package var log = LogSettings()

    package init() {}
}
