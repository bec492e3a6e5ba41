import Foundation
import HTTPTypes
import Hummingbird
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore

/// The devices that sync.
extension Endpoint {
    static let devicesTag = Tag(name: "devices", summary: "Who has not synced, with which version, how far behind.")

    /// Every operation on devices. A collection of an own schema that is named `devices` keeps the short paths.
    static func devices(_ registry: Registry) -> [Endpoint] {
        [listDevices(registry), forgetDevice(registry), listProjectDevices(registry)]
    }

    static func listDevices(_ registry: Registry) -> Endpoint {
        Endpoint(
            paths: ["/devices/", "/sync/devices/"], registry, method: .get, id: "list_devices",
            summary: "List the caller's devices.",
            details: """
                A device is known by the `Tidemark-Device-Id` of its requests, or the `device_id` of its uploads. \
                After a crash of the server, what it did in the last minute is missing. `behind` is counted from the \
                watermark that it presented last, `sent` from the end of the last whole drain that it was sent. A \
                superuser gets everybody's devices.
                """,
            parameters: Parameter.keyset + [user("Only this user's devices. For superusers.")], isList: true,
            answer: .ok(
                "One page of the list.",
                Schema.page(
                    of: device(["device_id": Schema.text, "sent": Schema.orNull(lag)], "Device"), title: "DevicePage")),
            ownCodes: [.forbidden])
    }

    static func forgetDevice(_ registry: Registry) -> Endpoint {
        Endpoint(
            paths: ["/devices/{id}/", "/sync/devices/{id}/"], registry, method: .delete, id: "forget_device",
            summary: "Forget a device.",
            details: "It revokes nothing: a device that goes on syncing is known again.",
            parameters: [
                Parameter(name: "id", place: .path, schema: Schema.text, summary: "The `device_id`."),
                user("The user whose device it is. For superusers."),
            ], answer: .noContent, ownCodes: [.readOnlyToken, .notFound, .forbidden])
    }

    static func listProjectDevices(_ registry: Registry) -> Endpoint {
        Endpoint(
            paths: [
                "/projects/{project}/devices/", "/projects/{project}/sync/devices/",
                "/sync/projects/{project}/devices/",
            ], registry, method: .get, id: "list_project_devices", summary: "List the devices of a project's members.",
            details: """
                What concerns this project: its pulls, uploads and comparisons. Devices have no ids here. Needs the \
                role ADMIN or above.
                """,
            parameters: [.project] + Parameter.keyset, isList: true,
            answer: .ok(
                "One page of the list.", Schema.page(of: device([:], "MemberDevice"), title: "MemberDevicePage")),
            ownCodes: access + [.forbidden])
    }

    private init(
        paths: [String], _ registry: Registry, method: HTTPRequest.Method, id: String, summary: String,
        details: String, parameters: [Parameter], isList: Bool = false, answer: Answer, ownCodes: [ErrorCode]
    ) {
        let paths = Paths(paths, keptBy: registry["devices"])
        self.init(
            method: method, path: paths.first, otherPaths: paths.others, id: id, tag: Endpoint.devicesTag,
            summary: summary, details: details + paths.sentence, parameters: parameters, isList: isList,
            answers: [answer], ownCodes: ownCodes)
    }

    private static func user(_ summary: String) -> Parameter {
        .query("user", ["type": "integer", "minimum": 1], summary: summary)
    }

    private static let lag = Schema.object(["commits": Schema.integer, "seconds": Schema.integer], title: "Lag")

    private static func device(_ more: [String: JSON], _ title: String) -> JSON {
        let members = [
            "user_id": Schema.integer, "username": Schema.text, "device_name": Schema.nullableText,
            "app_version": Schema.nullableText, "first_seen": Schema.instant, "last_seen": Schema.instant,
            "last_upload": Schema.nullableInstant, "last_error": Schema.nullableText,
            "last_error_at": Schema.nullableInstant,
            "digest": Schema.orNull(["enum": ["same", "differs"]]), "behind": Schema.orNull(lag),
        ]
        return Schema.object(members.merging(more) { $1 }, title: title)
    }
}

/// `/devices/` and `/projects/{project}/devices/`.
struct DeviceController<Store: SyncStore>: Sendable {
    let service: DeviceService<Store>

    func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        return reply(
            try await service.list(
                of: try query.userID(), after: try place(query), limit: try query.limit(default: 100, maximum: 500),
                for: context.caller)
        ).response(to: request)
    }

    func listOfProject(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        return reply(
            try await service.list(
                of: try context.parameters.require("project"), after: try place(query),
                limit: try query.limit(default: 100, maximum: 500), for: context.caller)
        ).response(to: request)
    }

    func forget(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try context.parameters.require("id")
        try await service.forget(
            id.removingPercentEncoding ?? id, of: try Query(request).userID(), by: context.caller)
        return Response(status: .noContent)
    }

    private func reply(_ page: (results: [JSON], next: DevicePlace?)) -> Reply {
        Reply(results: page.results, next: page.next?.text)
    }

    private func place(_ query: Query) throws -> DevicePlace {
        guard let text = query.text("after"), !text.isEmpty else { return .start }
        guard let place = DevicePlace(text) else {
            throw Problem(.invalidParameter, "after takes the next of the previous page, unchanged.")
        }
        return place
    }
}
