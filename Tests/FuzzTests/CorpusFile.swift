import Foundation
import SyncFuzz
import Testing

/// A file of `Corpus/<target>/`: the inputs that fuzzers start from, and every input that once broke a promise.
struct CorpusFile: Sendable, CustomTestStringConvertible {
    let target: FuzzTarget
    let name: String
    let bytes: [UInt8]

    var testDescription: String { "\(target.rawValue)/\(name)" }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")

    /// Empty if they can't be read; a test checks for that.
    static let all = FuzzTarget.allCases.flatMap { (try? files(of: $0)) ?? [] }

    private static func files(of target: FuzzTarget) throws -> [CorpusFile] {
        let folder = folder.appending(path: target.rawValue)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted().map { name in
            CorpusFile(target: target, name: name, bytes: [UInt8](try Data(contentsOf: folder.appending(path: name))))
        }
    }

    /// The number of files of this target.
    static func all(of target: FuzzTarget) -> Int { all.count { $0.target == target } }
}
