import SyncProtocol
import SyncStore

/// Which tombstones a purge leaves because devices have not passed them yet.
struct DeviceWait {
    private let transaction: any ReadTransaction
    private let now: Instant
    /// No tombstone that is older waits, and for no device that was not seen for longer.
    private let longest: Duration

    init(_ transaction: any ReadTransaction, now: Instant, longest: Duration) {
        (self.transaction, self.now, self.longest) = (transaction, now, longest)
    }

    /// The greatest number of the project up to which tombstones may go, at most `upper`. Nil if all stay.
    func upper(of project: String, atMost upper: SyncSeq) throws -> SyncSeq? {
        guard let state = try transaction.project(project), let passed = try lowest(in: state), passed < upper else {
            return upper
        }
        let oldest = try transaction.lastCommit(of: project, before: now.advanced(by: .zero - longest))
        return max(passed, oldest ?? .zero)
    }

    /// The least number that one of the members' devices has passed. A device that has to begin from 0 anyway waits for
    /// nothing.
    private func lowest(in project: ProjectState) throws -> SyncSeq? {
        let since = now.advanced(by: .zero - longest)
        let lags = DeviceLagReader(transaction: transaction, now: now)
        var (lowest, last): (SyncSeq?, Int64) = (nil, 0)
        while true {
            let members = try transaction.users(.members(of: project.id), after: last, limit: DeviceList.step)
            guard let end = members.last?.id else { return lowest }
            for member in members where !member.isDisabled {
                for device in try transaction.devices(of: member.id, in: project.id) {
                    guard let seen = device.activity(in: project.id)?.lastSeen, seen >= since,
                        let seq = try lags.seq(of: device, in: project), seq > .zero, seq <= project.head,
                        seq >= max(project.horizon, project.floor)
                    else { continue }
                    lowest = min(lowest ?? seq, seq)
                }
            }
            last = end
        }
    }
}
