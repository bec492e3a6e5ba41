package import NIOCore

/// How long a client may keep the server waiting, and how many connections there are. Times are looked at now and then, so
/// that one is over by up to half of the shortest when its connection is closed.
package struct EdgeLimits: Sendable {
    /// Without a request: behind the last one, and until the head of the first one is complete.
    package var idle: TimeAmount
    /// Until something more of a body comes, or something more of an answer is taken.
    package var stall: TimeAmount
    /// A body from its beginning to its end; an answer from its beginning on until all of it is taken.
    package var transfer: TimeAmount
    /// Until something more of a stream is taken. Twice what the stream itself allows, so that it ends its transaction and
    /// says so in the log before; what is left when its transaction has ended has this limit alone.
    package var streamStall: TimeAmount
    /// A stream from its beginning on until all of it is taken: twice what it waits for its client in all.
    package var streamTransfer: TimeAmount
    /// Behind the last answer of a connection, until the client closes it.
    package var linger: TimeAmount = .seconds(10)
    /// The most connections at a time.
    package var connections: Int

    package init(_ settings: HTTPSettings = HTTPSettings(), streams: SyncSettings = SyncSettings()) {
        idle = .seconds(Int64(settings.idleSeconds))
        stall = .seconds(Int64(settings.stallSeconds))
        transfer = .seconds(Int64(settings.transferSeconds))
        streamStall = .seconds(2 * Int64(streams.streamStallSeconds))
        streamTransfer = .seconds(2 * Int64(streams.streamWaitSeconds))
        connections = settings.connections
    }

    /// How often a connection is looked at.
    var pause: TimeAmount { .nanoseconds(max(1_000_000, min(idle, stall, transfer).nanoseconds / 2)) }
}
