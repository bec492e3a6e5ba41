import Hummingbird
import HummingbirdCore
package import NIOCore

/// Where clients meet the server: the limits of connections, TLS, and the origins whose pages may call the API.
package struct Edge: Sendable {
    package var limits: EdgeLimits
    /// Nil for plain HTTP.
    package var certificates: Certificates?
    /// The origins whose pages may call the API from a browser.
    package var origins: Origins

    package init(limits: EdgeLimits = EdgeLimits(), certificates: Certificates? = nil, origins: Origins = .none) {
        self.limits = limits
        self.certificates = certificates
        self.origins = origins
    }

    func server(_ connections: ConnectionLimit) -> HTTPServerBuilder {
        HTTPServerBuilder { EdgeChannel(self, connections, responder: $0) }
    }
}

/// How long a client may keep the server waiting, and how many connections there are. The times are
/// checked now and then, so a connection may be closed late, by up to half of the shortest time.
package struct EdgeLimits: Sendable {
    /// How long a connection may be without a request: after the last
    /// answer, and until the head of the first request is complete.
    package var idle: TimeAmount
    /// How long until more of a body comes, or until the client takes more of an answer.
    package var stall: TimeAmount
    /// How long a body takes from its beginning to its end, and an
    /// answer from its beginning until the client has taken all of it.
    package var transfer: TimeAmount
    /// How long a body takes from its beginning to its end, besides a second for each `slowestBody` of its bytes. A
    /// body takes no longer than `transfer`.
    package var body: TimeAmount
    /// The most bytes of all bodies that are under way.
    package var bodies: Int
    /// How long until the client takes more of a stream. This is twice what the
    /// stream itself allows, so the stream first ends its transaction and logs that.
    /// What is left to send after the end of the transaction has only this limit.
    package var streamStall: TimeAmount
    /// How long a stream takes from its beginning until the client has taken all
    /// of it: twice the total time that the stream itself waits for its client.
    package var streamTransfer: TimeAmount
    /// How long the server waits after the last answer of a connection for the client to close it.
    package var linger: TimeAmount = .seconds(10)
    /// The most connections at a time.
    package var connections: Int

    package init(_ settings: HTTPSettings = HTTPSettings(), streams: SyncSettings = SyncSettings()) {
        idle = .seconds(Int64(settings.idleSeconds))
        stall = .seconds(Int64(settings.stallSeconds))
        transfer = .seconds(Int64(settings.transferSeconds))
        streamStall = .seconds(2 * Int64(streams.streamStallSeconds))
        streamTransfer = .seconds(2 * Int64(streams.streamWaitSeconds))
        body = .seconds(Int64(settings.bodySeconds))
        bodies = settings.bodiesMegabytes << 20
        connections = settings.connections
    }

    /// How many bytes of a body a slow phone sends in a second.
    static let slowestBody = 8 << 10

    /// How many bytes of a file have to come in a second.
    static let slowestFile = 16 << 10

    /// How long a body may take of which so many bytes have come or are announced.
    func time(forBodyOf bytes: Int) -> TimeAmount {
        // No body is longer than twice this, whatever is announced.
        let seconds = min(bytes, 2 * JSONBody.maximumBytes) / EdgeLimits.slowestBody
        return min(transfer, body + .seconds(Int64(seconds)))
    }

    /// The time between two checks of a connection.
    var pause: TimeAmount { .nanoseconds(max(1_000_000, min(idle, stall, transfer, body).nanoseconds / 2)) }
}

/// The operator's settings for connections.
package struct HTTPSettings: Sendable, Equatable {
    /// How long a connection without a request stays open, in seconds; `TIDEMARK_HTTP_IDLE_SECONDS`.
    package var idleSeconds = 75
    /// How long the server waits for more of a body, or for a client to
    /// read more of an answer, in seconds; `TIDEMARK_HTTP_STALL_SECONDS`.
    package var stallSeconds = 30
    /// How long a body, or the reading of an answer, may take in total, in seconds; `TIDEMARK_HTTP_TRANSFER_SECONDS`.
    package var transferSeconds = 600
    /// How long a whole body may take in seconds, besides a second for each `EdgeLimits.slowestBody` of its bytes;
    /// `TIDEMARK_HTTP_BODY_SECONDS`.
    package var bodySeconds = 60
    /// The most megabytes (MiB) of all bodies that are under way; `TIDEMARK_HTTP_BODIES_MB`.
    package var bodiesMegabytes = 256
    /// The most connections at a time; `TIDEMARK_HTTP_CONNECTIONS`.
    package var connections = 32_768
    /// The origins whose pages may call the API from a browser,
    /// separated by commas, empty for none; `TIDEMARK_HTTP_ORIGINS`.
    package var origins = ""
    /// A PEM file with the certificate and those of its issuers, empty for plain HTTP; `TIDEMARK_TLS_CERTIFICATE`.
    package var tlsCertificate = ""
    /// A PEM file with the certificate's private key; `TIDEMARK_TLS_KEY`.
    package var tlsKey = ""

    package init() {}
}
