import HTTPTypes
package import Hummingbird
package import SyncAccounts
package import SyncStore

/// Identifies the caller by `Authorization: Bearer …` (RFC 6750).
/// A request without a valid token goes on without a caller.
package struct BearerAuthentication<Store: SyncStore>: RouterMiddleware {
    private let authenticator: Authenticator<Store>

    package init(authenticator: Authenticator<Store>) { self.authenticator = authenticator }

    package func handle(
        _ request: Request, context: ServerContext, next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let token = request.bearerToken {
            context.caller = try await authenticator.caller(bearing: token)
        }
        return try await next(request, context)
    }
}

extension Request {
    /// The token in `Authorization: Bearer …`; nil if there is none.
    /// The scheme's name may be in any case (RFC 9110 section 11.1).
    var bearerToken: String? {
        guard let header = headers[.authorization] else { return nil }
        let parts = header.utf8.split(separator: UInt8(ascii: " "))
        guard parts.count == 2, Substring(parts[0]).lowercased() == "bearer" else { return nil }
        return String(Substring(parts[1]))
    }
}
