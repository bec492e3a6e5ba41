import Foundation
@testable import SyncAccounts
@testable import SyncEngine
import SyncProtocol
import Synchronization
import Testing

/// How passwords are stored and checked.
@Suite struct PasswordTests {
    private static let cost = PasswordCost(logRounds: 4, blockSize: 8, parallelism: 1)

    @Test func aHashNamesItsCostAndMatchesItsPasswordAlone() throws {
        let hash = try ScryptHash(of: "correct horse", cost: Self.cost)
        #expect(hash.text.hasPrefix("$scrypt$ln=4,r=8,p=1$"))
        #expect(!hash.text.contains("=" + "$") && !hash.text.hasSuffix("="))
        let read = try #require(ScryptHash(hash.text))
        #expect(read.text == hash.text)
        #expect(try read.matches("correct horse"))
        #expect(try !read.matches("correct horse "))
        #expect(try !read.matches(""))
        #expect(try ScryptHash(of: "correct horse", cost: Self.cost).text != hash.text)
    }

    /// The test vectors of RFC 7914 section 12, cut to our 32 bytes.
    @Test func theDerivationIsScrypt() throws {
        let key = Data([
            0xFD, 0xBA, 0xBE, 0x1C, 0x9D, 0x34, 0x72, 0x00, 0x78, 0x56, 0xE7, 0x19, 0x0D, 0x01, 0xE9, 0xFE,
            0x7C, 0x6A, 0xD7, 0xCB, 0xC8, 0x23, 0x78, 0x30, 0xE7, 0x73, 0x76, 0x63, 0x4B, 0x37, 0x31, 0x62,
        ])
        func base64(_ data: Data) -> String { data.base64EncodedString().replacing("=", with: "") }
        let text = "$scrypt$ln=10,r=8,p=16$\(base64(Data("NaCl".utf8)))$\(base64(key))"
        #expect(try #require(ScryptHash(text)).matches("password"))
    }

    @Test(arguments: [
        "", "$", "$scrypt$", "$argon2id$ln=4,r=8,p=1$AAAA$AAAA", "$scrypt$ln=4,r=8$AAAA$AAAA",
        "$scrypt$ln=4,r=8,p=1$AAAA$AAAA", "$scrypt$ln=4,r=8,p=1$!$!", "x$scrypt$ln=4,r=8,p=1$AAAA$AAAA",
    ])
    func aTextThatIsNoHashIsNone(text: String) { #expect(ScryptHash(text) == nil) }

    @Test func theStandardCostIsTheOnePromised() throws {
        let hash = try ScryptHash(of: "correct horse", cost: .standard)
        #expect(hash.text.hasPrefix("$scrypt$ln=15,r=8,p=1$"))
        #expect(try hash.matches("correct horse"))
    }

    /// Uses no clock: if the hash is computed, the attempt takes its turn in the queue.
    @Test func noStoredHashTakesTheSameTurnInTheLine() async throws {
        let passwords = Passwords(cost: Self.cost, queue: HashingQueue(width: 0, limit: 0))
        for stored in [nil, "garbage", try ScryptHash(of: "correct horse", cost: Self.cost).text] {
            let problem = await #expect(throws: Problem.self) { try await passwords.matches("correct horse", stored) }
            #expect(problem?.code == .busy)
        }
    }

    @Test func noMoreThanTwoJobsRunAtOnceAndTheLineHasAnEnd() async throws {
        let (queue, gauge) = (HashingQueue(width: 2, limit: 10), Gauge())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    do { try await queue.run { gauge.work() } } catch { gauge.refuse() }
                }
            }
        }
        #expect(gauge.most == 2)
        #expect(gauge.refused == 28)
        #expect(try await queue.run { 7 } == 7)
    }

    /// Counts jobs that end once everything that can be refused is refused: 2 run, 10 wait, and 28 of 40 are refused.
    private final class Gauge: Sendable {
        private let counts = Mutex((now: 0, most: 0, refused: 0))
        private let gate = DispatchSemaphore(value: 0)

        var most: Int { counts.withLock { $0.most } }
        var refused: Int { counts.withLock { $0.refused } }

        func work() {
            counts.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            gate.wait()
            counts.withLock { $0.now -= 1 }
        }

        func refuse() {
            let refused = counts.withLock {
                $0.refused += 1
                return $0.refused
            }
            if refused == 28 { for _ in 0..<12 { gate.signal() } }
        }
    }
}
