import Hummingbird
import HummingbirdCore

/// Where clients meet the server: limits for whoever connects, and TLS.
package struct Edge: Sendable {
    package var limits: EdgeLimits
    /// Nil for plain HTTP.
    package var certificates: Certificates?

    package init(limits: EdgeLimits = EdgeLimits(), certificates: Certificates? = nil) {
        self.limits = limits
        self.certificates = certificates
    }

    func server(_ places: ConnectionPlaces) -> HTTPServerBuilder {
        HTTPServerBuilder { EdgeChannel(self, places, responder: $0) }
    }
}
