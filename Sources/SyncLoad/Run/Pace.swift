import NIOCore

/// When a client's requests are due. In an open loop each request has its own time, whether or not the one before was
/// answered, and its latency counts from that time. Otherwise a server that stalls would get fewer requests just then
/// and look good ("coordinated omission", Gil Tene).
struct Pace {
    private let interval: TimeAmount?
    private var due: NIODeadline

    /// `rate` is in requests per second for all `clients` together; their requests are
    /// spread evenly. Nil for a closed loop.
    init(rate: Double?, client: Int, of clients: Int, from start: NIODeadline) {
        guard let rate else {
            (interval, due) = (nil, start)
            return
        }
        let nanoseconds = Double(clients) / rate * 1e9
        interval = .nanoseconds(Int64(nanoseconds))
        due = start + .nanoseconds(Int64(nanoseconds * Double(client) / Double(clients)))
    }

    /// When the next request is due. In a closed loop that is now.
    mutating func next(now: NIODeadline) -> NIODeadline {
        guard let interval else { return now }
        defer { due = due + interval }
        return due
    }
}
