/// What can be wrong with a database, and what then is to be done.
package enum CheckCode: String, Sendable, CaseIterable {
    /// The file is not as SQLite left it.
    case damagedFile = "damaged_file"
    /// A row is not what was written.
    case damagedRow = "damaged_row"
    /// Numbers of a row are out of order, or above the project's head.
    case wrongStamps = "wrong_stamps"
    /// A row refers to one that is not there, is in another project, or is a tombstone.
    case danglingReference = "dangling_reference"
    /// A row is hidden that should be seen, or the other way round.
    case wrongGate = "wrong_gate"
    /// Counters, digests, memberships or lists of references differ from the rows that they are made from.
    case wrongDerivation = "wrong_derivation"
    /// A batch id, an edit in the history or an inbox entry makes no sense.
    case wrongRecord = "wrong_record"

    /// One sentence.
    package var meaning: String {
        switch self {
        case .damagedFile: "The file is not as SQLite left it."
        case .damagedRow: "The row is not what was written."
        case .wrongStamps: "The row's commit numbers are out of order or above the project's head."
        case .danglingReference: "The row refers to one that is deleted, not there or in another project."
        case .wrongGate: "The row is hidden and should be seen, or the other way round."
        case .wrongDerivation: "What is kept beside the rows differs from them."
        case .wrongRecord: "A record of uploads makes no sense."
        }
    }

    /// What an operator does about it.
    package var remedy: String {
        switch self {
        case .damagedFile:
            "Stop the server, keep a copy of the file, and restore the latest backup that passes `tidemark check`. Then check the disk."
        case .damagedRow:
            "Restore the latest backup that passes `tidemark check`; or read the row over the API, and write its right values: a write seals it anew. Then check the disk."
        case .wrongStamps, .danglingReference, .wrongGate, .wrongDerivation, .wrongRecord:
            "Restore the latest backup that passes `tidemark check`, and report this with the output: Tidemark itself should never do so."
        }
    }
}
