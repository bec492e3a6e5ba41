import SyncEngine
import SyncProtocol
import SyncStore
import SyncTestKit

/// Uploads: a body is either answered, or refused with a `Problem` and leaves nothing behind.
struct UploadPromises {
    private let bench: FuzzBench
    private let body: JSON
    private let halves: [MendedJSON.Half]
    private let isStock: Bool

    static func check(_ input: [UInt8]) async throws {
        guard let mended = try accepted(or: JSONError.self, { try MendedJSON(parsing: input, maximumDepth: 32) }) else {
            return
        }
        let body = mended.value
        let halves = mended.halves
        let strict = try accepted(or: JSONError.self) { try JSON(parsing: input, maximumDepth: 32) }
        try promise((strict != nil) == halves.isEmpty, "\(halves.count) halves are not all that was mended")
        try promise(strict.map { $0 == body } ?? true, "\(body.text) is read in two ways")
        try promise(try JSON(parsing: body.bytes) == body, "\(body.text) is read as another value")
        try promise(try JSON(parsing: body.prettyText) == body, "\(body.text) is printed as another value")
        for isStock in [false, true] {
            let promises = UploadPromises(
                bench: try await FuzzBench.fresh(), body: body, halves: halves, isStock: isStock)
            if let request = try promises.request() { try await promises.check(request) }
        }
    }

    private func request() throws -> UploadRequest? {
        try accepted(or: Problem.self) {
            guard isStock else {
                return try UploadRequest(
                    project: "p1", body: body, halves: halves, registry: bench.registry, maximumRows: 50)
            }
            return try UploadRequest(
                project: "p1", stock: body, halves: halves, lastPulledAt: SyncSeq(2), registry: bench.registry,
                maximumRows: 50)
        }
    }

    private func check(_ request: UploadRequest) async throws {
        let before = try await head()
        do {
            let answer = try await upload(request)
            try promise(!answer.isReplay, "a new batch is treated as a repeated one")
            try await check(answer, to: request, before: before)
            try await checkReplay(of: answer, to: request)
        } catch let refusal as Problem {
            try promise(try await head() == before, "a refused batch drew a number: \(refusal)")
            for row in refusal.errors { try check(row) }
        }
        let broken = try await bench.workbench.brokenInvariants()
        try promise(broken.isEmpty, "broken: \(broken.joined(separator: "; "))")
    }

    private func upload(_ request: UploadRequest) async throws -> UploadAnswer {
        try await bench.workbench.uploads.upload(request, by: bench.workbench.caller(.owner))
    }

    private func head() async throws -> SyncSeq? { try await bench.store.read { try $0.project("p1")?.head } }

    private func check(_ answer: UploadAnswer, to request: UploadRequest, before: SyncSeq?) async throws {
        let counts = answer.counts
        try promise(
            counts.applied >= 0 && counts.applied + counts.skipped + counts.rejected == request.rowCount,
            "\(counts) of \(request.rowCount) rows")
        let json = try JSON(parsing: answer.body)
        try promise(json.text == answer.body, "the answer is not in its canonical form")
        let head = try await head()
        try promise(json["timestamp"]?.int == head?.rawValue, "the answer's timestamp is not the head")
        try promise(head == before || head == before?.next, "a batch drew more than one number")
        try UploadAnswerPromises(answer: json, changes: isStock ? body : body["changes"] ?? .null).check(
            applied: counts.applied)
    }

    /// A batch that is sent again gets the same bytes as answer and changes nothing. A batch
    /// without an id is not remembered.
    private func checkReplay(of answer: UploadAnswer, to request: UploadRequest) async throws {
        guard request.batchID != nil else { return }
        let head = try await head()
        let again = try await upload(request)
        try promise(again.isReplay && again.body == answer.body, "a repeated batch gets another answer")
        try promise(try await self.head() == head, "a repeated batch drew a number")
    }

    /// A pointer leads into the body. Only its last part may be missing, since it may point at a missing member.
    private func check(_ problem: RowProblem) throws {
        var place = body
        for token in problem.pointer.split(separator: "/").dropLast() {
            let name = String(token).replacing("~1", with: "/").replacing("~0", with: "~")
            guard let next = place.array.map({ $0.dropFirst(Int(name) ?? .max).first }) ?? place[name] else {
                throw BrokenPromise(description: "the pointer \(problem.pointer) leads nowhere")
            }
            place = next
        }
    }
}
