import SyncProtocol

extension ErrorCode {
    /// What each code means, and what to do about it: the doc comment of its case, so the sentences are written
    /// only once. `Resources/ErrorCode.txt` is a link to the enumeration's source and is embedded in the binary.
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

    /// The code that a line declares with `case name` or `case name = "raw"`; nil for other lines.
    private init?(declaration line: Substring) {
        guard let match = line.firstMatch(of: /^ *case (\w+)(?: = "(\w+)")?$/) else { return nil }
        self.init(rawValue: String(match.output.2 ?? match.output.1))
    }
}
