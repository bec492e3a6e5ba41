/// Something that the server did wrong: what, without particulars, and an example.
struct Mistake: Error, Equatable {
    let what: String
    let example: String

    init(_ what: String, _ example: String = "") {
        self.what = what
        self.example = example
    }
}

extension Mistakes {
    mutating func note(_ mistake: Mistake) { note(mistake.what, mistake.example) }
}
