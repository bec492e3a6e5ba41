import Hummingbird
import HummingbirdCore

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
