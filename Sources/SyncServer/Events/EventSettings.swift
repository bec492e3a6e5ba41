/// The operator's settings for listeners.
package struct EventSettings: Sendable, Equatable {
    /// The most event streams at a time; `TIDEMARK_EVENTS_STREAMS`.
    package var streams = 20_000

    package init() {}
}
