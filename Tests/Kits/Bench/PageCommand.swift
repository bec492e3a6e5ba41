import ArgumentParser
import Foundation
import NIOCore
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncStore

/// Measures a page inside the process: the pull service and the store, without HTTP and without a cache.
struct PageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "page", abstract: "Drain a project page by page, and print the nanoseconds for each page.")

    @OptionGroup var guest: GuestOptions
    @Option(help: "The project's id.") var project: String
    @Option(help: "A member's token.") var token: String
    @Option(help: "Rows of a page.") var pageSize = 1000
    @Option(help: "Only these collections, separated by commas.") var collections: String?
    @Option(help: "Number of timed drains, after one that is not timed.") var rounds = 1
    @Option(help: "Write the bodies of one drain to this file, one after another.") var output: String?

    func run() async throws {
        let guest = try Guest(guest)
        guard let caller = try await guest.accounts.authenticate(token: token) else {
            throw ValidationError("The token is not valid.")
        }
        let service = try await PullService(store: guest.store, registry: guest.registry, cacheBytes: 0)
        var drains = [try await drain(service, caller)]
        if let output { try drains[0].bodies.write(to: URL(filePath: output)) }
        for _ in 0..<rounds { drains.append(try await drain(service, caller)) }
        let timed = drains.dropFirst()
        let result: JSON = [
            "pages": .int(drains[0].pages), "bytes": .int(Int64(drains[0].bytes)),
            "ns_per_page": .array(timed.map { .int($0.nanoseconds / max($0.pages, 1)) }),
        ]
        print(result.text)
    }

    private struct Drain {
        var pages: Int64 = 0
        var bytes = 0
        /// The time of all pages, including the last one, which may be short.
        var nanoseconds: Int64 = 0
        /// The pages' bodies, kept only if they are to be written to a file.
        var bodies = Data()
    }

    private func drain(_ service: PullService<some SyncStore>, _ caller: Caller) async throws -> Drain {
        var (drain, request) = (Drain(), PullRequest(project: project, pageSize: pageSize))
        request.collections = collections.map { Set($0.split(separator: ",").map(String.init)) }
        repeat {
            let (page, time) = try await Stopwatch.nanoseconds { try await service.page(request, for: caller) }
            drain.pages += 1
            drain.bytes += page.body.readableBytes
            drain.nanoseconds += time
            if output != nil { drain.bodies.append(contentsOf: page.body.readableBytesView) }
            request.cursor = PageCommand.nextCursor(in: page.body)
        } while request.cursor != nil
        return drain
    }

    /// Reads the cursor from the members after `changes`, without parsing the rows. Nil on the last page.
    static func nextCursor(in body: ByteBuffer) -> String? {
        let trailer = String(decoding: body.readableBytesView.suffix(4096), as: UTF8.self)
        guard let member = trailer.range(of: "\"next_cursor\":\"", options: .backwards) else { return nil }
        return String(trailer[member.upperBound...].prefix { $0 != "\"" })
    }
}
