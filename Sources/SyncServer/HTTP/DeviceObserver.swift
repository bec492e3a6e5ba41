import HTTPTypes
import Hummingbird
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncStore

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
            note(request, context, route, error: nil)
            return response
        } catch {
            note(request, context, route, error: (error as? Problem)?.code ?? .internalError)
            throw error
        }
    }

    private func note(_ request: Request, _ context: CallerContext, _ route: SyncRoute?, error: ErrorCode?) {
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
