import SyncProtocol
import SyncStore

extension ForwardingTransaction {
    func storage(countingUpTo most: Int) throws -> InstallationStorage {
        try forward { try $0.storage(countingUpTo: most) }
    }
    func storage(
        of project: String, growingFrom number: CommitNumber?, countingUpTo most: Int
    ) throws -> ProjectStorage {
        try forward { try $0.storage(of: project, growingFrom: number, countingUpTo: most) }
    }
    func firstNumber(from date: Instant) throws -> CommitNumber? { try forward { try $0.firstNumber(from: date) } }
    func lostEdits(_ selection: LostEditSelection, limit: Int) throws -> [LostEditNote] {
        try forward { try $0.lostEdits(selection, limit: limit) }
    }
}
