/// The kinds of fault that a check can find, with their remedies.
package enum CheckCode: String, Sendable, CaseIterable {
    /// The engine finds its own structures damaged, or a part can't be read.
    case damagedFile = "damaged_file"
    /// A row's checksum does not match its values.
    case damagedRow = "damaged_row"
    /// Commit numbers are out of order, or above the project's head.
    case wrongStamps = "wrong_stamps"
    /// A row refers to a row that does not exist, is a tombstone or
    /// is in another project, or to a user who does not exist.
    case danglingReference = "dangling_reference"
    /// A row is hidden from members who should see it, or the reverse.
    case wrongGate = "wrong_gate"
    /// Counters, digests, memberships, former owners or lists of
    /// references don't match the rows that they are derived from.
    case wrongDerivation = "wrong_derivation"
    /// A record of an upload is not valid: an idempotency record, a change in the history or an inbox entry.
    case wrongRecord = "wrong_record"

    /// What is wrong, in one sentence.
    package var meaning: String {
        switch self {
        case .damagedFile: "The engine finds the database damaged, or a part of it can't be read."
        case .damagedRow: "The row is not what was written: its checksum differs."
        case .wrongStamps: "Commit numbers are out of order or above the project's head."
        case .danglingReference: "The row refers to something that is deleted, does not exist or is in another project."
        case .wrongGate: "The row is hidden from members who should see it, or the reverse."
        case .wrongDerivation: "Data that is derived from the rows does not match them."
        case .wrongRecord: "A batch id, an edit in the history or an inbox entry is not valid."
        }
    }

    /// What the operator does about it.
    package var remedy: String {
        switch self {
        case .damagedFile:
            """
            Stop the server, keep a copy of the files, and restore the latest backup that passes `tidemark check`, or \
            let a standby that passes take over. Then check the disk.
            """
        case .damagedRow:
            """
            Restore the latest backup that passes `tidemark check`. Or read the row over the API and write its right \
            values, which gives it a new checksum. Then check the disk.
            """
        case .wrongStamps, .danglingReference, .wrongGate, .wrongDerivation, .wrongRecord:
            """
            Restore the latest backup that passes `tidemark check`, and report the fault with this output: Tidemark \
            should never do this.
            """
        }
    }
}
