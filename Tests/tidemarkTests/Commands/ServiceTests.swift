import Dispatch
import Foundation
import SyncTestKit
import Testing
@testable import tidemark

/// What a command takes over from an installed service, and what a server tells systemd.
@Suite struct ServiceTests {
    private let folder: TemporaryFolder
    private let home: ServiceHome

    init() throws {
        folder = try TemporaryFolder()
        let data = folder.path("data")
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        home = ServiceHome(folder: data, settings: folder.path("tidemark.env"))
    }

    private func adoption(
        by command: any ClassifiedCommand.Type = UserCommand.Add.self, _ arguments: [String] = ["user", "add", "ann"],
        environment: [String: String] = [:], isRoot: Bool = true
    ) throws -> ServiceHome.Adoption? {
        try home.adoption(by: command, arguments: arguments, environment: environment, isRoot: isRoot)
    }

    /// The folder of a service belongs to its user. Whoever runs this test can be that user, but root can't.
    private func giveAway() throws {
        guard geteuid() == 0 else { return }
        try #require(chown(home.folder, 12_345, 23_456) == 0)
    }

    @Test func rootGetsTheServicesDatabaseSettingsAndUser() throws {
        try giveAway()
        let settings = """
            # A comment with TIDEMARK_DATABASE=no
            ; another
            TIDEMARK_FILES_MAX_MB=7
              TIDEMARK_METRICS_TOKEN = "a secret"
            PATH=/evil
            PGPASSWORD=p
            TIDEMARK_SERVER_PORT=1
            """
        try Data(settings.utf8).write(to: URL(filePath: home.settings))
        let adoption = try #require(try adoption(environment: ["TIDEMARK_SERVER_PORT": "2"]))
        let variables = [
            "TIDEMARK_DATABASE": "\(home.folder)/tidemark.db", "TIDEMARK_FILES_MAX_MB": "7",
            "TIDEMARK_METRICS_TOKEN": "a secret", "PGPASSWORD": "p",
        ]
        #expect(adoption.variables == variables)
        if geteuid() == 0 { #expect(adoption.user == 12_345 && adoption.group == 23_456) }
        let elsewhere = "TIDEMARK_DATABASE='postgres://tidemark@db/plans'\n"
        try Data(elsewhere.utf8).write(to: URL(filePath: home.settings))
        #expect(try self.adoption()?.variables == ["TIDEMARK_DATABASE": "postgres://tidemark@db/plans"])
    }

    @Test func whoeverNamesADatabaseOrNeedsNoneGetsNothing() throws {
        try giveAway()
        #expect(try adoption() != nil)
        #expect(try adoption(isRoot: false) == nil)
        #expect(try adoption(by: DoctorCommand.self) == nil)
        // These don't open a database as others do.
        #expect(try adoption(by: RestoreCommand.self, ["restore", "b.db"]) != nil)
        #expect(try adoption(by: CopyCommand.self, ["copy", "a.db", "postgres://db"]) == nil)
        #expect(try adoption(by: LoadPrepareCommand.self, ["load", "prepare"]) == nil)
        #expect(try adoption(["user", "add", "ann", "--database", "x.db"]) == nil)
        #expect(try adoption(["user", "add", "ann", "--database=x.db"]) == nil)
        #expect(try adoption(environment: ["TIDEMARK_DATABASE": "x.db"]) == nil)
    }

    @Test func aFolderOfRootsIsNoService() throws {
        guard geteuid() == 0 else { return }
        #expect(try adoption() == nil)
        try FileManager.default.removeItem(atPath: home.folder)
        #expect(try adoption() == nil)
    }

    @Test func systemdIsToldOfTheStartOfLifeAndOfTheEnd() async throws {
        let path = folder.path("n")
        let socket = try NotifySocket(path)
        var operation = try TidemarkProcess()
        operation.environment = ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "200000"]
        let server = try await ServingProcess(operation)
        var told: [String] = []
        while !(told.contains { $0.hasPrefix("READY=1\nSTATUS=Serves on http://") }
            && told.count { $0 == "WATCHDOG=1" } > 2)
        { told.append(await socket.next()) }
        await server.stop()
        while told.last != "STOPPING=1" { told.append(await socket.next()) }
    }
}

/// Where a test hears what systemd would.
private final class NotifySocket: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        try #require(name.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        try #require(isBound)
    }

    deinit { close(descriptor) }

    /// The next message. Waits for it.
    func next() async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [descriptor] in
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = recv(descriptor, &bytes, bytes.count, 0)
                continuation.resume(returning: String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
            }
        }
    }
}
