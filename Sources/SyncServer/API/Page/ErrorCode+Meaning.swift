import SyncProtocol

extension ErrorCode {
    /// Cause and remedy: the doc comment at each case, so that the sentences are written once. `Resources/ErrorCode.txt`
    /// is a link to the enumeration's source, embedded in the binary.
    static let meanings: [ErrorCode: String] = {
        var meanings: [ErrorCode: String] = [:]
        var comment: [Substring] = []
        for line in String(decoding: PackageResources.ErrorCode_txt, as: UTF8.self).split(separator: "\n") {
            if let text = line.firstMatch(of: /^ *\/\/\/ (.*)/) {
                comment.append(text.output.1)
                continue
            }
            if let code = ErrorCode(declaration: line) { meanings[code] = comment.joined(separator: " ") }
            comment = []
        }
        return meanings
    }()

    /// The code of a line `case name` or `case name = "raw"`.
    private init?(declaration line: Substring) {
        guard let match = line.firstMatch(of: /^ *case (\w+)(?: = "(\w+)")?$/) else { return nil }
        self.init(rawValue: String(match.output.2 ?? match.output.1))
    }
}
