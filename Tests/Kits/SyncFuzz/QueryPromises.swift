import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncServer
import SyncStore

/// Queries: each is either refused with a `Problem`, or gives values within their limits. A pull that
/// is written again reads the same.
enum QueryPromises {
    private static let registry = Result { try Registry.builtIn() }

    static func check(_ input: [UInt8]) throws {
        let text = String(decoding: input, as: UTF8.self)
        for piece in text.split(whereSeparator: { "&=".contains($0) }) { try ValuePromises.check(String(piece)) }
        guard let query = try query(text) else { return }
        try checkList(query)
        try checkPull(query)
    }

    private static func query(_ text: String) throws -> Query? {
        let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/?" + text)
        return try accepted(or: Problem.self) {
            try Query(Request(head: head, body: RequestBody(buffer: ByteBuffer())))
        }
    }

    private static func checkList(_ query: Query) throws {
        if let limit = try accepted(or: Problem.self, { try query.limit(default: 100, maximum: 500) }) {
            try promise((1...500).contains(limit), "limit is \(limit)")
        }
        if let place = try accepted(or: Problem.self, { try query.creationPosition() }), place != .start {
            try promise(CreationPosition(place.description) == place, "after is \(place)")
        }
    }

    private static func checkPull(_ query: Query) throws {
        let (registry, settings) = (try registry.get(), SyncSettings())
        let read = { (query: Query) in
            try accepted(or: Problem.self) {
                try query.pullRequest(of: "p", for: 1, registry: registry, settings: settings)
            }
        }
        guard let (pull, streams) = try read(query) else { return }
        try promise((1...settings.pullMaximumPageSize).contains(pull.pageSize), "page_size is \(pull.pageSize)")
        try promise((SyncSeq.zero...SyncSeq.maximum).contains(pull.since), "since is \(pull.since)")
        guard let again = try self.query(written(pull, streams, as: query)).flatMap(read)
        else {
            throw BrokenPromise(description: "\(pull) is refused when it is sent again")
        }
        try promise(again.0 == pull && again.streams == streams, "\(pull) is read again as \(again.0)")
    }

    /// The same request, written from the values that were read.
    private static func written(_ pull: PullRequest, _ streams: Bool, as query: Query) -> String {
        var parameters = [
            "since": pull.since.description, "page_size": String(pull.pageSize), "encoding": pull.encoding.rawValue,
            "stream": String(streams),
        ]
        // These decide how the server treats a first pull and unknown names: it depends on
        // which of the two names `since` had.
        parameters["last_pulled_at"] = query.text("last_pulled_at") == nil ? nil : pull.since.description
        parameters["split_created"] = query.text("split_created")
        parameters["cursor"] = pull.cursor
        parameters["collections"] = pull.collections.map { $0.sorted().joined(separator: ",") }
        parameters["migration"] = query.text("migration")
        let allowed = CharacterSet.alphanumerics
        return parameters.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")" }
            .joined(separator: "&")
    }
}
