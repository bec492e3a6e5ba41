import Hummingbird
import HummingbirdCore

/// Where clients meet the server: limits for whoever connects, TLS, and pages of other origins.
package struct Edge: Sendable {
    package var limits: EdgeLimits
    /// Nil for plain HTTP.
    package var certificates: Certificates?
    /// Whose pages may call the API from a browser.
    package var origins: Origins

    package init(limits: EdgeLimits = EdgeLimits(), certificates: Certificates? = nil, origins: Origins = .none) {
        self.limits = limits
        self.certificates = certificates
        self.origins = origins
    }

    func server(_ places: ConnectionLimit) -> HTTPServerBuilder {
        HTTPServerBuilder { EdgeChannel(self, places, responder: $0) }
    }
}
