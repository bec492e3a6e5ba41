import Foundation
import SyncFuzz
import SyncTestKit
import Testing

/// What the fuzzers of `scripts/fuzz` do for long, for a moment: their corpus, and a little of what comes of it.
@Suite struct FuzzTests {
    @Test(arguments: FuzzTarget.allCases) func thereIsACorpus(target: FuzzTarget) {
        #expect(CorpusFile.all(of: target) > 0)
    }

    @Test(arguments: CorpusFile.all) func everyFileOfTheCorpusKeepsThePromises(file: CorpusFile) async throws {
        try await file.target.check(file.bytes)
    }

    /// Cut off anywhere.
    @Test(arguments: CorpusFile.all) func soDoesWhatIsLeftOfItWhenItIsCut(file: CorpusFile) async throws {
        let step = max(1, file.bytes.count * CorpusFile.all(of: file.target) / file.target.cases)
        for length in stride(from: 0, to: file.bytes.count, by: step) {
            try await file.target.check(Array(file.bytes.prefix(length)))
        }
    }

    @Test(arguments: CorpusFile.all) func soDoesWhatOneOtherByteMakesOfIt(file: CorpusFile) async throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<(file.target.cases / CorpusFile.all(of: file.target)) {
            var bytes = file.bytes
            guard let place = bytes.indices.randomElement(using: &random) else { return }
            bytes[place] =
                random.oneIn(2)
                ? UInt8(truncatingIfNeeded: random.next()) : random.pick(Array("\"0-9{}[],:&=<>/ ".utf8))!
            do { try await file.target.check(bytes) } catch {
                Issue.record("\(error), fed with \(String(decoding: bytes, as: UTF8.self).debugDescription)")
                return
            }
        }
    }
}

extension FuzzTarget {
    /// Of each kind, over all files: what takes about half a second.
    fileprivate var cases: Int {
        switch self {
        case .cursor, .query: 2000
        case .upload, .plan, .schema: 300
        }
    }
}
