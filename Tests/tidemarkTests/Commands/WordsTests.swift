import Foundation
import SyncProtocol
import SyncTestKit
import Testing

@testable import tidemark

/// What commands print when something is wrong: our own words that say what to do, and no library's.
@Suite struct WordsTests {
    private let operation: TidemarkProcess

    init() throws { operation = try TidemarkProcess() }

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: operation.folder.url.appending(path: name))
    }

    private func refused(_ arguments: String..., status: Int32 = 1) async throws -> String {
        let result = try await operation.run(arguments)
        #expect(result.status == status && result.out.isEmpty, "\(result.err)")
        for word in ["Error Domain", "malformed(", "errno", "NSCocoa", "JWTKit", "Swift."] {
            #expect(!result.err.contains(word), "\(result.err)")
        }
        return result.err
    }

    @Test func aConfigurationFileThatIsNotThereIsSaidToBeSo() async throws {
        let message = try await refused("serve", "--config", "none.json")
        #expect(message == "Error: There is no configuration file none.json. Check the path.\n")
        #expect(try await refused("serve", "--config", "/").contains("is a folder"))
    }

    @Test func aFaultOfJSONIsSaidWithItsPlace() async throws {
        try write("c.json", #"{"sync": {"#)
        let configuration = try await refused("serve", "--config", "c.json")
        #expect(
            configuration == "Error: The configuration file c.json is not valid JSON: a name is missing at byte 10.\n")
        try write("list.json", "[]")
        #expect(try await refused("serve", "--config", "list.json").contains("must be a JSON object"))
        try write("export.json", #"{"a": 1,}"#)
        try await operation.done("user", "add", "alice")
        let export = try await refused("import", "export.json", "--owner", "alice", "--database", "plans.db")
        #expect(export.contains("not valid JSON: a name is missing at byte 8."))
        let none = try await refused("import", "none.xml", "--owner", "alice", "--database", "plans.db")
        #expect(none == "Error: There is no plan none.xml. Check the path.\n")
    }

    @Test func aFaultOfASchemaFileIsSaidWithTheFile() async throws {
        let folder = operation.folder.url.appending(path: "schemas")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write("schemas/tasks.json", "{")
        #expect(
            try await refused("serve", "--schemas", "schemas", "--database", "x.db")
                == "Error: tasks: is not valid JSON: a name is missing at byte 1.\n")
        try FileManager.default.removeItem(at: folder.appending(path: "tasks.json"))
        try FileManager.default.createDirectory(
            at: folder.appending(path: "tasks.json"), withIntermediateDirectories: true)
        let unreadable = try await refused("serve", "--schemas", "schemas", "--database", "x.db")
        #expect(unreadable.contains("tasks.json") && unreadable.contains("can't be read"))
        #expect(try await refused("serve", "--schemas", "none", "--database", "x.db").contains("--schemas"))
    }

    @Test func aKeyThatIsNoneIsSaidToBeSo() async throws {
        try write("keys.json", #"{"keys": [{"kty": "EC", "crv": "P-256", "kid": "a", "x": "AA", "y": "!!"}]}"#)
        var operation = operation
        operation.environment = [
            "TIDEMARK_IDENTITY_ISSUER": "https://id/", "TIDEMARK_IDENTITY_AUDIENCE": "t",
            "TIDEMARK_IDENTITY_KEYS": "keys.json",
        ]
        let result = try await operation.run("serve", "--port", "0")
        #expect(result.status == 1 && result.err.contains("The key a of the key set is not a valid ES256 key."))
        #expect(!result.err.contains("JWTKit"))
    }

    @Test(arguments: [
        ("--host", "10.255.255.1", "is not an address of this machine"),
        ("--host", "no.host.invalid", "There is no host"),
    ])
    func anAddressThatIsNotThisMachinesIsSaidToBeSo(option: String, value: String, words: String) async throws {
        #expect(try await refused("serve", option, value, "--port", "0").contains(words))
    }

    @Test func aBackupIntoNoFolderSaysSo() async throws {
        try await operation.done("user", "add", "alice")
        let message = try await refused("backup", "none/b.db", "--database", "plans.db")
        #expect(message.contains("There is no folder") && !message.contains("unfinished"))
    }

    @Test func aCommandThatIsMisspelledIsAnsweredWithTheOneThatWasMeant() async throws {
        #expect(
            try await refused("user", "lst", status: 2)
                == "Error: There is no command `tidemark user lst`. Did you mean `tidemark user list`?\n")
        #expect(try await refused("tokens", "list", status: 2).contains("Did you mean `tidemark token`?"))
        #expect(try await refused("colour", status: 2).contains("There are: serve, user,"))
        #expect(Misspelling(in: ["user", "list", "--json"]) == nil)
        #expect(Misspelling(in: ["schema", "--format", "sql"]) == nil && Misspelling(in: []) == nil)
        #expect(Misspelling(in: ["help", "user"]) == nil && Misspelling(in: ["import", "plan.xml"]) == nil)
    }

    @Test func aMisspelledVariableEndsTheServersStartAndOthersWarn() async throws {
        try await operation.done("user", "add", "alice")
        var operation = operation
        operation.environment = ["TIDEMARK_SERVER_PRT": "1", "TIDEMARK_DATABSE": ""]
        let served = try await operation.run("serve", "--database", "plans.db")
        #expect(served.status == 1)
        #expect(served.err == "Error: There is no setting TIDEMARK_SERVER_PRT. Did you mean TIDEMARK_SERVER_PORT?\n")
        let listed = try await operation.run("user", "list", "--database", "plans.db")
        #expect(listed.status == 0)
        #expect(listed.err == "Warning: There is no setting TIDEMARK_SERVER_PRT. Did you mean TIDEMARK_SERVER_PORT?\n")
    }

    @Test func oneIsSingular() async throws {
        try await operation.done("load", "prepare", "--rows", "10", "--project", "hall")
        let purged = try await operation.done("purge", "--older-than", "0s")
        #expect(purged.out == "Removed 0 tombstones from 0 projects.\n")
        let renamed = try await operation.done("user", "rename", "load-1", "--display-name", "Lo")
        #expect(renamed.err == "Renamed in 1 project.\n")
        #expect(try await operation.done("restored").out.contains("of 1 project by"))
    }
}
