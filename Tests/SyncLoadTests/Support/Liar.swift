import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SyncLoad
import SyncProtocol
import Synchronization

/// The ways in which a server can be wrong.
enum Lie: String, CaseIterable, Sendable {
    case doublesAnID, dropsARow, inventsADigest, withholdsTheDigest, changesTheTimestamp, showsOthersOtherRows
    case endsTooEarly, repeatsTheCursor, pollsWithRows, goesBack, appliesLess, forgetsUploads, breaksPages, isBusy
}

/// A server with ten tasks on three pages that has one of these faults, or none.
final class Liar: Sendable {
    let running: Running

    init(_ lie: Lie?) async throws {
        let story = Story(lie)
        let responder = CallbackResponder<BasicRequestContext> { request, _ in
            let body = try await request.body.collect(upTo: 1 << 20)
            let isSecond = request.headers[.authorization] == "Bearer two"
            return story.answer(request.method == .post, request.uri.path, request.uri.queryParameters, body, isSecond)
        }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        running = try await Running { opened in
            Application(
                responder: responder, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
                onServerRunning: { opened($0.localAddress?.port ?? 0) }, logger: logger)
        }
    }

    func plan(_ profile: LoadProfile) -> LoadPlan {
        var plan = LoadPlan(target: running.target, profile: profile)
        (plan.project, plan.tokens, plan.clients, plan.extent) = ("p1", ["one", "two"], 2, .actions(2))
        return plan
    }
}

/// The server's answers. Depending on its fault, it does not store the rows of uploads.
private final class Story: Sendable {
    private struct State {
        var uploaded: [String] = []
        var head: Int64 = 7
    }

    private let lie: Lie?
    private let state = Mutex(State())

    init(_ lie: Lie?) { self.lie = lie }

    func answer(_ isUpload: Bool, _ path: String, _ query: Parameters, _ body: ByteBuffer, _ isSecond: Bool) -> Response
    {
        if path.hasSuffix("/schemas/") {
            return Self.response(["collections": [["title": "notes", "x-visibility": ["own": "user"]]]])
        }
        if lie == .isBusy { return Response(status: .serviceUnavailable) }
        if isUpload { return upload(body) }
        let since = Int64(query["since"].map(String.init) ?? "") ?? 0
        let page = query["cursor"].flatMap { Int($0.dropFirst()) } ?? 0
        let text = since == 0 ? drain(page: page, isSecond) : poll(since)
        return Self.response(lie == .breaksPages && page == 1 ? String(text.dropLast(40)) : text)
    }

    // MARK: Uploads

    private func upload(_ body: ByteBuffer) -> Response {
        let sent = (try? JSON(parsing: body.readableBytesView))?["changes"]?["tasks"]?["created"]?.array ?? []
        let ids = sent.compactMap { $0["id"]?.string }
        let head = state.withLock { state in
            if lie != .forgetsUploads { state.uploaded += ids }
            state.head += 1
            return state.head
        }
        let applied = ids.dropFirst(lie == .appliesLess ? 1 : 0).map { JSON.object(["id": .string($0)]) }
        return Self.response(["timestamp": .int(head), "applied": ["tasks": ["created": .array(applied)]]])
    }

    // MARK: Pages

    private func poll(_ since: Int64) -> String {
        switch lie {
        case .pollsWithRows: text(["t1"], timestamp: since, next: nil, digest: nil)
        case .goesBack: text([], timestamp: since - 1, next: nil, digest: nil)
        default: text([], timestamp: state.withLock { $0.head }, next: nil, digest: nil)
        }
    }

    private func drain(page: Int, _ isSecond: Bool) -> String {
        let (uploaded, head) = state.withLock { ($0.uploaded, $0.head) }
        let all = (1...10).map { "t\($0)" } + uploaded
        var rows = page < 2 ? Array(all[page * 4..<page * 4 + 4]) : Array(all[8...])
        if lie == .doublesAnID, page == 1 { rows.append("t1") }
        if lie == .dropsARow, page == 1 { rows.removeLast() }
        if lie == .showsOthersOtherRows, page == 1, isSecond { rows[0] = "x1" }
        let isLast = page == 2 || lie == .endsTooEarly && page == 1
        let next = isLast ? nil : lie == .repeatsTheCursor ? "c1" : "c\(page + 1)"
        let timestamp = lie == .changesTheTimestamp && page == 1 ? head - 1 : head
        return text(rows, timestamp: timestamp, next: next, digest: isLast ? digest(all) : nil)
    }

    private func digest(_ ids: [String]) -> JSON? {
        guard lie != .withholdsTheDigest else { return nil }
        var digest = CollectionDigest.empty
        for id in ids { digest.insert(id, ServerVersion(lie == .inventsADigest ? 2 : 1)) }
        return ["tasks": digest.json]
    }

    private func text(_ rows: [String], timestamp: Int64, next: String?, digest: JSON?) -> String {
        let list = rows.map { "{\"id\":\"\($0)\",\"server_version\":1,\"name\":\"Task \($0)\"}" }.joined(separator: ",")
        return "{\"changes\":{\"tasks\":{\"updated\":[\(list)],\"created\":[],\"deleted\":[]},"
            + "\"notes\":{\"updated\":[],\"created\":[],\"deleted\":[]}}"
            + (next == nil ? ",\"digest\":\(digest?.text ?? "null")" : "")
            + ",\"has_more\":\(next != nil),\"next_cursor\":\(next.map { "\"\($0)\"" } ?? "null")"
            + ",\"progress\":{\"rows\":\(rows.count),\"total\":10},\"timestamp\":\(timestamp)}"
    }

    private static func response(_ json: JSON) -> Response { response(json.text) }

    private static func response(_ text: String) -> Response {
        Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
