import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The address of a client, as the rate limits count it.
struct ClientAddress {
    /// Whether the peer is a reverse proxy that appends the address of its own peer to `X-Forwarded-For`.
    let trustsForwardedFor: Bool

    /// An IPv4 address, or the first 64 bits of an IPv6 address:
    /// whoever has one address of an IPv6 network has them all.
    ///
    /// If the proxy is trusted, the last entry of `X-Forwarded-For`
    /// counts. The proxy wrote that one; the client can forge all others.
    func text(_ request: Request, _ context: ServerContext) -> String { text(request, context.peer) }

    func text(_ request: Request, _ peer: SocketAddress?) -> String {
        guard trustsForwardedFor, let entry = forwarded(request) else { return network(peer) }
        return network(try? SocketAddress(ipAddress: entry, port: 0))
    }

    private func forwarded(_ request: Request) -> String? {
        request.headers[values: .xForwardedFor].last?.split(separator: ",").last?.trimmingCharacters(in: .whitespaces)
    }

    private func network(_ address: SocketAddress?) -> String {
        guard let address, address.protocol == .inet6 else { return address?.ipAddress ?? "unknown" }
        // RFC 3493 section 3.3: family, port and flow label come first. The address is read by its
        // offset, because the C module that declares the field depends on what else is imported.
        let bytes = address.withSockAddr { Array(UnsafeRawBufferPointer(start: $0, count: $1)[8..<24]) }
        // RFC 4291 section 2.5.5.2: this is an IPv4 address that came over an IPv6 socket.
        if bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] {
            return bytes.suffix(4).map(String.init).joined(separator: ".")
        }
        return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
    }
}

extension HTTPField.Name {
    fileprivate static let xForwardedFor = HTTPField.Name("X-Forwarded-For")!
}

/// Tells the caller's address to what the audit list keeps. Reads are not kept, and don't pay for it.
struct CallerAddress: RouterMiddleware {
    let address: ClientAddress

    func handle(
        _ request: Request, context: CallerContext, next: @concurrent (Request, CallerContext) async throws -> Response
    ) async throws -> Response {
        guard request.method != .get else { return try await next(request, context) }
        var context = context
        context.address = address.text(request, context.channel.remoteAddress)
        return try await next(request, context)
    }
}
