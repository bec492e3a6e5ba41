import Foundation
import Subprocess
import SyncTestKit
import SystemPackage
import Testing

/// `--help` of everything in `scripts` prints help, and installs, builds, starts and writes nothing.
@Suite struct ScriptHelpTests {
    private static let scripts = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../scripts")
        .standardized

    private static var names: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: scripts.path)) ?? []
        return names.filter { name in
            var isFolder: ObjCBool = false
            let path = scripts.appending(path: name).path
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
                && FileManager.default.isExecutableFile(atPath: path)
        }.sorted()
    }

    /// What a script may not call while it tells how it is used.
    private static let workers = [
        "apt-get", "sudo", "swift", "node", "npm", "pip", "git", "gcc", "chromium", "install",
    ]

    @Test(arguments: names, ["--help", "-h"]) func helpIsAllThatItDoes(name: String, flag: String) async throws {
        let folder = try TemporaryFolder()
        for worker in Self.workers {
            let path = folder.path(worker)
            let text = "#!/bin/sh\necho \(worker) >>'\(folder.path("called"))'\nexit 1\n"
            try Data(text.utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
        let result = try await Subprocess.run(
            .path(FilePath(Self.scripts.appending(path: name).path)), arguments: .init([flag]),
            environment: .custom(["PATH": "\(folder.url.path):/usr/bin:/bin", "HOME": "/"]),
            workingDirectory: .init(folder.url.path), output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        #expect(result.terminationStatus == .exited(0), "\(result.standardError)")
        #expect(result.standardOutput.count > 40)
        #expect(result.standardError == "")
        let called = (try? String(contentsOfFile: folder.path("called"), encoding: .utf8)) ?? ""
        #expect(called == "")
        let made = Set(try FileManager.default.contentsOfDirectory(atPath: folder.url.path)).subtracting(Self.workers)
        #expect(made == [])
    }

    @Test func thereAreScripts() { #expect(Self.names.contains("bench") && Self.names.contains("postgres")) }
}
