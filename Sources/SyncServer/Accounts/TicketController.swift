import Hummingbird
import SyncAccounts
import SyncProtocol
import SyncStore

/// `POST /auth/ticket/`.
struct TicketController<Store: SyncStore>: Sendable {
    let service: TicketService<Store>

    func issue(_ request: Request, _ context: CallerContext) async throws -> Response {
        let ticket = try await service.issue(for: context.grant)
        let seconds = TicketService<Store>.lifetime.components.seconds
        return Reply(["ticket": .string(ticket), "expires_in": .int(seconds)]).response(to: request)
    }
}
