import SyncProtocol

/// What an event of the stream says.
enum WatchEvent: Sendable, Equatable {
    case hello(heartbeat: Duration, expiresIn: Duration?)
    /// Some projects have something new. A pull comes after a random part of `spread`.
    case poke(spread: Duration)
    case bye(isOfToken: Bool, retry: Duration?)
    /// Shows that the stream lives.
    case other

    init(_ event: ServerSentEvent) {
        let data = (try? JSON(parsing: Array(event.data.utf8))) ?? .null
        switch event.name {
        case "hello":
            let heartbeat = data["heartbeat_s"]?.int ?? 25
            self = .hello(
                heartbeat: .seconds(min(max(heartbeat, 1), 3600)),
                expiresIn: data["expires_in"]?.int.map { .seconds(min(max($0, 0), 1 << 40)) })
        case "poke":
            let isAboutProjects = data.object?.keys.contains { !$0.hasPrefix("_") } ?? true
            let spread = min(max(data["_spread_ms"]?.int ?? 0, 0), 600_000)
            self = isAboutProjects ? .poke(spread: .milliseconds(spread)) : .other
        case "bye":
            let retry = data["retry_ms"]?.int.map { Duration.milliseconds(min(max($0, 0), 600_000)) }
            self = .bye(isOfToken: ["token_expired", "revoked"].contains(data["reason"]?.string), retry: retry)
        default: self = .other
        }
    }
}
