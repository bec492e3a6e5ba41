import HTTPTypes
import Hummingbird
import SyncAccounts
import SyncProtocol
import SyncStore

/// Events, and the tickets for them.
extension Endpoint {
    static let events = Endpoint(
        method: .get, path: "/events/", otherPaths: ["/sync/events/"], id: "events", tag: syncTag,
        summary: "Hear at once which projects have something new.",
        details: """
            A stream of server-sent events that carries no rows: `hello` first, a `poke` with projects and their heads \
            after each commit of which the caller may see something, `ping` at least every 25 seconds, and `bye` last. \
            Pull after each `hello` and each `poke`.
            """,
        parameters: [
            projects("Only these projects."),
            .query(
                "last_event_id", Schema.text,
                summary:
                    "The `id` of the last event of an earlier stream, or any user-wide `timestamp`. As `Last-Event-ID`."
            ),
            .query("ticket", Schema.text, summary: "A ticket, for clients that can't send `Authorization`."),
            .header("Last-Event-ID", Schema.text, summary: "As `last_event_id`; browsers send it by themselves."),
        ],
        answers: [
            Answer(
                status: .ok, summary: "Events, each of this form.", schema: event, mediaType: ServerEvent.mediaType)
        ],
        ownCodes: [.notFound, .tooManyStreams, .rateLimited])

    /// OpenAPI 3.1 says nothing of streams. Tools that know them read the schema as that of one event.
    private static let event = Schema.object(
        [
            "event": ["enum": ["hello", "poke", "ping", "bye"]],
            "data": Schema.text.described("JSON. Of a poke, the heads by project."),
            "id": Schema.text.described("A watermark of all of the caller's projects."),
            "retry": Schema.integer.described("Milliseconds to wait before the next stream."),
        ],
        optional: ["id", "retry"], title: "Event")

    static let issueTicket = Endpoint(
        method: .post, path: "/auth/ticket/", id: "issue_ticket", tag: accountsTag,
        summary: "Get a ticket for one event stream.",
        details: """
            For a browser's `EventSource`, which can't send headers: `/events/?ticket=…`. A ticket works once, \
            within 30 seconds, and for that endpoint only.
            """,
        answers: [
            .ok(
                "The ticket, and for how many seconds it is good.",
                Schema.object(["ticket": Schema.text, "expires_in": Schema.integer], title: "Ticket"))
        ],
        ownCodes: [.rateLimited])
}

/// `POST /auth/ticket/`.
struct TicketController<Store: SyncStore>: Sendable {
    let service: TicketService<Store>

    func issue(_ request: Request, _ context: CallerContext) async throws -> Response {
        let ticket = try await service.issue(for: context.grant)
        let seconds = TicketService<Store>.lifetime.components.seconds
        return Reply(["ticket": .string(ticket), "expires_in": .int(seconds)]).response(to: request)
    }
}
