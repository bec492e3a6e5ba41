import Foundation
import SyncProtocol
import SyncSchema
import SyncTestKit
import Synchronization
import Testing

@testable import SyncClientCore

/// Two devices add, send and open files while requests and answers are lost, bodies are cut, and processes die between
/// any two requests. In the end everything that was added is on the server and on the other device, and nothing is left
/// over.
@Suite(.timeLimit(.minutes(20))) struct RandomDeviceFileTests {
    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64]) func nothingIsLostOrLeftOver(seed: UInt64) async throws {
        let server = try await ServedProject()
        let network = FileNetwork()
        let dice = Mutex(SplitMix64(seed: seed))
        var devices: [FileDevice] = []
        for (name, role) in [("one", Role.member), ("two", .admin)] {
            devices.append(try await FileDevice(name, role, of: server, network))
            try await devices.last?.sync()
        }
        let random = { (most: Int) in dice.withLock { Int.random(in: 0..<most, using: &$0) } }
        network.setFault { request in
            dice.withLock { dice in
                switch Int.random(in: 0..<24, using: &dice) {
                case 0: .refused
                case 1: .answerLost
                case 2: .killed(isSent: false)
                case 3: .killed(isSent: true)
                case 4, 5: .cut(Int.random(in: 0...max(request.body.count, 1), using: &dice))
                default: nil
                }
            }
        }
        var added: [String: Data] = [:]
        for step in 0..<40 {
            let device = devices[random(2)]
            switch random(4) {
            case 0:
                let bytes = Data(bytes: [0, 7, 40_000, 1_500_000, 3_000_000][random(5)], seed: random(9))
                let digest = try device.replica.files.add(bytes)
                added[digest] = bytes
                if random(3) > 0 { try device.name(digest, "s\(step)") }
            case 1: await tried { try await device.sync() }
            case 2: await tried { try await device.send() }
            default: if let digest = added.keys.sorted().first { await tried { _ = try await device.bytes(digest) } }
            }
        }
        network.heal()
        let missing = Set(added.keys).subtracting(try names(devices[0]).union(names(devices[1])))
        for digest in missing.sorted() {
            let owner = try devices.first { try $0.replica.files.state(digest) != nil }
            try #require(owner, "seed \(seed)").name(digest, "m" + digest.prefix(8))
        }
        for _ in 0..<2 {
            for device in devices {
                try await device.sync()
                try await device.send()
            }
        }
        for device in devices {
            try await device.sync()
            #expect(try device.replica.files.list().isEmpty, "seed \(seed)")
            for (digest, bytes) in added { #expect(try await device.bytes(digest) == bytes, "seed \(seed)") }
            let states = try device.replica.rows(of: "attachments").map { $0["state"]?.string }
            #expect(states.allSatisfy { $0 == "stored" }, "seed \(seed): \(states)")
            device.time.advance(by: .seconds(200_000))
            try device.replica.files.sweep(at: device.time.environment.wallClock())
            #expect(device.folder.count == added.count, "seed \(seed)")
        }
        #expect(kept(by: server) == Set(added.keys), "seed \(seed)")
    }

    /// The digests of the files that the server keeps.
    private func kept(by server: ServedProject) -> Set<String> {
        let names = FileManager.default.enumerator(atPath: server.folder.path("files"))?.compactMap { $0 as? String }
        let digests = (names ?? []).compactMap { $0.split(separator: "/").last?.prefix(64) }.map(String.init)
        return Set(digests.filter { $0.utf8.count == 64 })
    }

    /// The digests that rows of the device name.
    private func names(_ device: FileDevice) throws -> Set<String> {
        try Set(device.replica.rows(of: "attachments").compactMap { $0["file"]?.string })
    }

    /// A process that dies, or gives up.
    private func tried(_ work: () async throws -> Void) async {
        do { try await work() } catch is FileNetwork.Killed {} catch is SyncError {} catch {
            Issue.record("\(error)")
        }
    }
}
