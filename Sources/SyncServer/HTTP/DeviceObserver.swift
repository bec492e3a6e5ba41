import Foundation
import HTTPTypes
import Hummingbird
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncStore
import Synchronization

/// Notes which device sent a request and what became of it. A request that names no device passes through, and no
/// request waits for a write.
struct DeviceObserver<Store: SyncStore>: RouterMiddleware {
    let devices: DeviceService<Store>

    func handle(
        _ request: Request, context: CallerContext,
        next: @concurrent (Request, CallerContext) async throws -> Response
    ) async throws -> Response {
        let isNamed = request.headers[.deviceID] != nil
        // Almost all requests without a device end here. An upload may name one in its body.
        guard isNamed || request.method == .post else { return try await next(request, context) }
        let route = SyncRoute(request, context)
        guard isNamed || route == .upload else { return try await next(request, context) }
        var context = context
        if route == .upload { context.uploading = UploadingDevice() }
        if route == .pull, request.method == .get, isWhole(request) { context.draining = DrainingDevice() }
        do {
            let response = try await next(request, context)
            note(request, context: context, route: route, error: nil)
            return response
        } catch {
            note(request, context: context, route: route, error: (error as? Problem)?.code ?? .internalError)
            throw error
        }
    }

    private func note(_ request: Request, context: CallerContext, route: SyncRoute?, error: ErrorCode?) {
        guard let device = DeviceHeaders.device(request.headers, named: context.uploading?.id) else { return }
        var sighting = DeviceSighting(of: device, user: context.caller.userID)
        guard let route else { return devices.note(sighting) }
        // A project that the caller may not sync, or that does not exist, leaves no trace.
        let isJudged = error?.followsAccess ?? true
        sighting.project = isJudged ? context.parameters.get("project") : nil
        sighting.error = error
        sighting.comparison = isJudged ? DeviceHeaders.comparison(request.headers) : nil
        // A watermark of another history says nothing.
        if route == .pull, error == nil || error == .sinceExpired {
            sighting.watermark = try? Query(request).watermark().rawValue
        }
        sighting.isUpload = route == .upload && error == nil
        sighting.sent = error == nil ? context.draining?.reached : nil
        devices.note(sighting)
        context.draining?.later { [devices, sighting] reached in
            var sighting = sighting
            sighting.sent = reached
            devices.note(sighting)
        }
        for project in context.uploading?.projects ?? [] {
            sighting.project = project
            devices.note(sighting)
        }
    }
}

/// Whether a drain leaves out nothing that its caller sees.
private func isWhole(_ request: Request) -> Bool {
    let query = try? Query(request)
    return query?.text("collections") == nil && query?.text("projects") == nil
}

/// What a request to a path of sync does, of one project or user-wide.
private enum SyncRoute {
    case pull, upload, digest

    /// Nil for all other paths.
    init?(_ request: Request, _ context: CallerContext) {
        guard let path = context.endpointPath else { return nil }
        if path.hasSuffix("/sync") {
            self = request.method == .post ? .upload : .pull
        } else if path.hasSuffix("/sync/digest") {
            self = .digest
        } else {
            return nil
        }
    }
}

extension ErrorCode {
    /// Whether a request to sync is refused with this code only after the caller's access to the project was judged.
    fileprivate var followsAccess: Bool {
        switch self {
        case .invalidCursor, .sinceAhead, .sinceExpired, .readOnlyToken, .forbidden, .projectArchived, .rateLimited,
            .batchIDReused, .conflict, .invalidRows, .idUnavailable, .inUse, .lastOwner, .fieldForbidden,
            .cyclicDependency, .notUnique:
            true
        default: false
        }
    }
}

/// The headers in which a device says what it is. What can't be held is ignored: no request fails because of them.
enum DeviceHeaders {
    /// The device in `Tidemark-Device-Id`; nil without a usable one. `named` is the id that the body gives, which
    /// counts if there is no header.
    static func device(_ headers: HTTPFields, named: String? = nil) -> DeviceDescription? {
        guard let id = headers[.deviceID] ?? named else { return nil }
        return DeviceDescription(
            id: id, name: headers[.deviceName].map(decoded), appVersion: headers[.appVersion].map(decoded))
            ?? named.flatMap { id == $0 ? nil : device([:], named: $0) }
    }

    /// The result of a comparison with the server's digest, in `Tidemark-Digest`.
    static func comparison(_ headers: HTTPFields) -> DeviceActivity.Comparison? {
        headers[.tidemarkDigest].flatMap { DeviceActivity.Comparison(rawValue: $0.lowercased()) }
    }

    /// A header can't hold every text in every client, so names may be percent-encoded UTF-8.
    private static func decoded(_ text: String) -> String { text.removingPercentEncoding ?? text }
}

extension HTTPField.Name {
    static let deviceID = HTTPField.Name("Tidemark-Device-Id")!
    static let deviceName = HTTPField.Name("Tidemark-Device-Name")!
    static let appVersion = HTTPField.Name("Tidemark-App-Version")!
    static let tidemarkDigest = HTTPField.Name("Tidemark-Digest")!
}

/// How far the answer to a pull takes its device. Whoever sends the end of a drain says so.
final class DrainingDevice: Sendable {
    private struct State {
        var reached: Int64?
        var later: (@Sendable (Int64) -> Void)?
    }

    private let state = Mutex(State())

    /// The `timestamp` of the drain that the answer ends; nil if it ends none, or is a stream that still runs.
    var reached: Int64? { state.withLock { $0.reached } }

    /// Has `body` called if the drain ends after the answer has begun.
    func later(_ body: @escaping @Sendable (Int64) -> Void) { state.withLock { $0.later = body } }

    /// The drain with this `timestamp` is sent, or will be with the answer.
    func reach(_ timestamp: Int64) {
        let later = state.withLock { state in
            state.reached = timestamp
            return state.later
        }
        later?(timestamp)
    }
}

/// What the body of an upload tells of its device. The controller that reads the body fills it in.
final class UploadingDevice: Sendable {
    private struct State {
        var id: String?
        var projects: [String] = []
    }

    private let state = Mutex(State())

    /// The `device_id` in the body.
    var id: String? { state.withLock { $0.id } }
    /// The projects that a user-wide upload wrote to.
    var projects: [String] { state.withLock { $0.projects } }

    func identify(as id: String?) { state.withLock { $0.id = id } }
    func wrote(to projects: [String]) { state.withLock { $0.projects = projects } }
}
