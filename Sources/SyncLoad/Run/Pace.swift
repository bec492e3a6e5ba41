import NIOCore

/// When a client's requests are due. In an open loop each has a time of its own, whether the one before was answered or
/// not, and latency counts from there; else a server that stalls would be asked less just then, and look good ("coordinated
/// omission", Gil Tene).
struct Pace {
    private let interval: TimeAmount?
    private var due: NIODeadline

    /// `rate` is of all `clients` together, whose requests are spread evenly.
    init(rate: Double?, client: Int, of clients: Int, from start: NIODeadline) {
        guard let rate else {
            (interval, due) = (nil, start)
            return
        }
        let nanoseconds = Double(clients) / rate * 1e9
        interval = .nanoseconds(Int64(nanoseconds))
        due = start + .nanoseconds(Int64(nanoseconds * Double(client) / Double(clients)))
    }

    /// When the next request is due: in a closed loop now.
    mutating func next(now: NIODeadline) -> NIODeadline {
        guard let interval else { return now }
        defer { due = due + interval }
        return due
    }
}
