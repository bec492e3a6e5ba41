import Foundation
import SyncFuzz
import SyncTestKit
import Testing

/// Runs for a moment what `scripts/fuzz` runs for long: the corpus, and a few inputs derived from it.
@Suite struct FuzzTests {
    @Test(arguments: FuzzTarget.allCases) func thereIsACorpus(target: FuzzTarget) {
        #expect(CorpusFile.all(of: target) > 0)
    }

    @Test(arguments: CorpusFile.all) func everyFileOfTheCorpusKeepsThePromises(file: CorpusFile) async throws {
        try await file.target.check(file.bytes)
    }

    /// Cuts the file off at any byte.
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
    /// The number of inputs to try for each target, over all its files: about half a second's work.
    fileprivate var cases: Int {
        switch self {
        case .cursor, .query: 2000
        case .upload, .plan, .schema: 300
        }
    }
}
