import ArgumentParser
import Foundation
import SyncAsyncHTTPClient
import SyncClientCore
import SyncProtocol

struct FileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "file", abstract: "Add files to a replica, list them, and get their bytes.",
        discussion: """
            Photos and documents belong to rows of the collection attachments. A file is added without a server; \
            `tidemark push` and `tidemark sync` send it, also while `tidemark sync --watch` is running. The bytes of \
            others' files are read when they are asked for.
            Example: tidemark file add photo.jpg --replica plan.replica --task t-17
            """,
        subcommands: [FileListCommand.self, FileAddCommand.self, FileGetCommand.self])
}

struct FileListCommand: ParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the attachments of a replica.",
        discussion: """
            One line for each attachment, by name. Its columns, separated by tabs: * if the row has unsent edits, id, \
            state, bytes, the SHA-256, name. The state is pending or stored, as the server says; of a file that was \
            added here and that the server does not have, it is waiting, sending or failed, and a failed one is \
            followed by the reason. In a replica of all projects the project follows the id.
            Example: tidemark file list --replica plan.replica
            """)

    @OptionGroup var option: ReplicaOption
    @Option(help: "Only the attachments of the project with this id.") var project: String?
    @Flag(help: "Print whole rows as a JSON array; `queued` has what the server does not have.") var json = false

    func run() throws {
        let attachments = try option.with { replica in
            let rows = try replica.liveRows(of: Attachment.collection, in: project)
            let queued = try replica.files.list()
            let project = try replica.state().project
            return rows.map { row in
                Attachment(row: row, queued: queued.first { $0.isOf(row, in: project) })
            }.sorted()
        }
        try json
            ? Terminal.result(json: .array(attachments.map(\.json))) : Terminal.result(attachments.map(\.line))
    }
}

struct FileAddCommand: ParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a file with its row, and print the row's id.",
        discussion: """
            The bytes are copied into a folder beside the replica, and stay there until the server has them. Without \
            --task and --risk the file belongs to the project. A file that failed before is tried again.
            Example: tidemark file add photo.jpg --replica plan.replica --task t-17
            """)

    @OptionGroup var option: ReplicaOption
    @Argument(help: ArgumentHelp("The file to copy.", valueName: "file")) var path: String
    @Option(help: "The id of the task that it belongs to.") var task: String?
    @Option(help: "The id of the risk that it belongs to.") var risk: String?
    @Option(help: "The id of the project, in a replica of all projects.") var project: String?
    @Option(help: "The name for people. (default: that of the file)") var name: String?
    @Option(help: "The row's id. (default: a random UUID)") var id: String?

    func validate() throws {
        if task != nil, risk != nil { throw ValidationError("Give --task or --risk, not both.") }
    }

    func run() throws {
        let added = try option.with { replica in
            _ = try replica.known(Attachment.collection)
            let url = URL(filePath: path)
            let name = name ?? url.lastPathComponent
            let digest = try replica.files.add(contentsOf: url, to: project, name: name)
            guard let file = try replica.files.local(digest, in: project) else {
                throw CommandError("\(path) was added, and its copy is gone. Add it again.")
            }
            var fields: [String: JSON] = [
                "name": .string(name), "file": .string(digest), "size": .int(file.size),
                "media_type": .string(file.type),
            ]
            fields["task"] = task.map(JSON.string)
            fields["risk"] = risk.map(JSON.string)
            return try replica.add([], fields, to: Attachment.collection, id: id, in: project)
        }
        try Terminal.result(added)
    }
}

struct FileGetCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Write the bytes of an attachment into a file.",
        discussion: """
            What is not in the replica is read from the server, with --from and a token from TIDEMARK_TOKEN or \
            --token-file, and stays in the replica's cache. A file that is there is not overwritten.
            Example: tidemark file get a-17 --replica plan.replica --output photo.jpg --from http://127.0.0.1:8080
            """)

    @OptionGroup var option: ReplicaOption
    @Argument(help: "The id of the attachment.") var id: String
    @Option(help: ArgumentHelp("The file to write.", valueName: "file")) var output: String
    @Option(help: ArgumentHelp("The server's URL.", valueName: "url")) var from: String?
    @OptionGroup var token: TokenOptions
    @Option(
        help: ArgumentHelp(
            "The certificate authorities to trust instead of the machine's, as PEM.", valueName: "file"))
    var ca: String?

    func run() async throws {
        guard !FileManager.default.fileExists(atPath: output) else {
            throw CommandError("\(output) is there already. Give another name, or move it away.")
        }
        let (replica, attachment) = try option.with { replica in
            let rows = try replica.liveRows(of: Attachment.collection)
            guard let row = rows.first(where: { $0["id"] == .string(id) }) else {
                throw EditError.unknownRow(id, collection: Attachment.collection)
            }
            return (replica, Attachment(row: row))
        }
        guard let digest = attachment.digest else { throw CommandError("The attachment \(id) has no file yet.") }
        let file: LocalFile
        do {
            let project = try attachment.project ?? replica.state().project
            file = try await self.file(digest, of: project, replica)
        } catch let error as ValidationError {
            throw error
        } catch let error as any CustomStringConvertible & Error {
            throw CommandError("\(error)")
        }
        do {
            try FileManager.default.copyItem(at: file.url, to: URL(filePath: output))
        } catch {
            throw CommandError("Can't write \(output). Check its folder, the rights and the free space.")
        }
    }

    private func file(_ digest: String, of project: String?, _ replica: Replica) async throws -> LocalFile {
        if let file = try replica.files.local(digest, in: project) { return file }
        guard let from else {
            throw CommandError("The bytes are not in the replica. Name the server that has them: --from URL.")
        }
        let remote = try Remote(url: from, scope: replica.state().scope, token: try token.value())
        let transport = AsyncHTTPClientTransport(authorities: try CertificateAuthorities(named: ca))
        let result: Result<LocalFile, any Error>
        do {
            let syncer = try Syncer(remote: remote, transport: transport, replica: replica)
            result = .success(try await syncer.openFile(digest, in: project))
        } catch { result = .failure(error) }
        try? await transport.shutdown()
        return try result.get()
    }
}

/// A row of the built-in collection of files.
private struct Attachment: Comparable {
    static let collection = "attachments"

    let row: JSON
    /// What the server does not have; nil if nothing of it is to be sent.
    var queued: QueuedFile?

    var digest: String? { row["file"]?.string }
    /// Nil in a replica of one project.
    var project: String? { row[Replica.projectField]?.string }

    private var key: [String] { [project ?? "", row["name"]?.string ?? "", row["id"]?.string ?? ""] }

    /// The row's columns, separated by tabs.
    var line: String {
        let mark = row["_status"] == "synced" ? " " : "*"
        let state = queued.map(\.words) ?? row["state"]?.string ?? ""
        let size = (queued.map(\.size) ?? row["size"]?.int).map { "\($0)" } ?? ""
        let place = [row["id"]?.string ?? ""] + (project.map { [$0] } ?? [])
        return ([mark] + place + [state, size, digest ?? "", (row["name"]?.string ?? "").quoted])
            .joined(separator: "\t")
    }

    var json: JSON { .object((row.object ?? [:]).merging(["queued": queued?.json ?? .null]) { $1 }) }

    static func < (left: Self, right: Self) -> Bool { left.key.lexicographicallyPrecedes(right.key) }

    static func == (left: Self, right: Self) -> Bool { left.key == right.key }
}

extension QueuedFile {
    /// Whether the row names it. `project` is that of the replica.
    fileprivate func isOf(_ row: JSON, in project: String?) -> Bool {
        row["file"]?.string == digest && (row[Replica.projectField]?.string ?? project) == self.project
    }

    fileprivate var words: String {
        switch state {
        case .failed: "failed: \(reason ?? "")"
        case .sending: "sending: \(sent) bytes"
        case .waiting, .stored: state.rawValue
        }
    }

    fileprivate var json: JSON {
        [
            "state": .string(state.rawValue), "sent": .int(sent), "reason": reason.map(JSON.string) ?? .null,
            "detail": detail.map(JSON.string) ?? .null,
        ]
    }
}
