import Foundation
import SyncClientCore
import SyncProtocol
import SyncTestKit
import Testing

/// `tidemark devices list`.
@Suite struct DevicesCommandTests {
    private let operation: TidemarkProcess

    /// A project with the members `load-1` and `load-2`, and what their devices told a server that has ended.
    init() async throws {
        operation = try TidemarkProcess()
        try await operation.done("load", "prepare", "--rows", "30", "--users", "2", "--project", "hall")
        let server = try await ServingProcess(operation)
        for (user, name) in [("load-1", "Anna%27s%20phone"), ("load-2", "%1B%5B2Jtablet")] {
            let token = try await operation.done("token", "create", "--user", user).out
                .trimmingCharacters(in: .newlines)
            for since in [0, 1] {
                let answer = try await server.send(
                    .get, "/api/v1/projects/hall/sync/?since=\(since)&page_size=1", token: token,
                    headers: [
                        "Tidemark-Device-Id": "d-\(user)", "Tidemark-Device-Name": name,
                        "Tidemark-App-Version": "1.2",
                    ])
                #expect(answer.status == 200)
            }
        }
        await server.stop()
    }

    @Test func devicesAreListedByUser() async throws {
        let lines = try await operation.done("devices", "list").lines
        #expect(
            lines.map { Array($0[..<4]) } == [
                ["load-1", "Anna's phone", "d-load-1", "1.2"], ["load-2", "[2Jtablet", "d-load-2", "1.2"],
            ])
        #expect(lines.allSatisfy { $0[6].contains(" commit") && $0[7] == "-" && $0[8] == "-" }, "\(lines)")
        #expect(try await operation.done("devices", "list", "--user", "load-2").lines.map { $0[0] } == ["load-2"])
        let json = try await operation.done("devices", "list", "--user", "load-1", "--json").json
        #expect(json.array?.first?["device_id"] == "d-load-1")
        #expect(json.array?.first?["behind"]?["commits"]?.int ?? 0 > 0)
    }

    @Test func devicesOfAProjectHaveNoIds() async throws {
        let result = try await operation.done("devices", "list", "--project", "hall")
        #expect(
            result.lines.map { Array($0[..<3]) } == [
                ["load-1", "Anna's phone", "1.2"], ["load-2", "[2Jtablet", "1.2"],
            ])
        #expect(!result.out.contains("d-load"))
        let one = try await operation.done("devices", "list", "--project", "hall", "--user", "load-2")
        #expect(one.lines.map { $0[0] } == ["load-2"])
    }

    @Test(arguments: [["--user", "nobody"], ["--project", "none"]]) func whatIsNotThereIsSaid(arguments: [String])
        async throws
    {
        var operation = operation
        operation.environment["TIDEMARK_DATABASE"] = operation.database
        let result = try await operation.run(["devices", "list"] + arguments)
        #expect(result.status == 1 && result.out.isEmpty && !result.err.isEmpty)
    }
}
