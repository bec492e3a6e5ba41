package import SyncProtocol
import SyncStore
import Synchronization

/// What requests told of devices since it was last written to the store. In memory, so that no request waits for a
/// write: a note costs one look-up under a lock that few share.
package final class DeviceLedger: Sendable {
    /// Devices by user.
    private typealias Notes = [Int64: [ExactText: Device]]

    private final class Shard: Sendable {
        struct State {
            var pending: Notes = [:]
            /// Notes that are being written.
            var writing: Notes = [:]
        }

        let state = Mutex(State())
    }

    private let shards = (0..<16).map { _ in Shard() }
    private let isWriting = Atomic(false)

    package init() {}

    private func shard(_ user: Int64) -> Shard { shards[Int(truncatingIfNeeded: user) & 15] }

    /// Notes what a request told.
    package func note(_ sighting: DeviceSighting, at now: Instant) {
        shard(sighting.user).state.withLock { DeviceLedger.add(sighting.seen(at: now), to: &$0.pending) }
    }

    /// What is known of the user's devices and not yet in the store.
    func devices(of user: Int64) -> [Device] {
        shard(user).state.withLock { state in
            var devices = state.writing[user] ?? [:]
            for (id, device) in state.pending[user] ?? [:] {
                if devices[id] == nil { devices[id] = device } else { devices[id]?.merge(device) }
            }
            return Array(devices.values)
        }
    }

    /// The users with such devices.
    func users() -> Set<Int64> {
        shards.reduce(into: []) { users, shard in
            shard.state.withLock { state in
                users.formUnion(state.pending.keys)
                users.formUnion(state.writing.keys)
            }
        }
    }

    /// Forgets a device. Returns false if there is none.
    func forget(_ key: DeviceKey) -> Bool {
        shard(key.user).state.withLock { state in
            let pending = state.pending[key.user]?.removeValue(forKey: key.id)
            let writing = state.writing[key.user]?.removeValue(forKey: key.id)
            return pending != nil || writing != nil
        }
    }

    // MARK: Writing

    /// Takes everything out to be written; `end` must follow. Nil if somebody else is writing.
    func begin() -> [DeviceKey]? {
        guard !isWriting.exchange(true, ordering: .acquiringAndReleasing) else { return nil }
        return shards.flatMap { shard in
            let notes = shard.state.withLock { state in
                swap(&state.pending, &state.writing)
                return state.writing
            }
            return notes.values.flatMap { $0.values.map(\.key) }
        }
    }

    /// What is to be written of these devices, but for those that were forgotten meanwhile.
    func writing(_ keys: ArraySlice<DeviceKey>) -> [Device] {
        keys.compactMap { key in shard(key.user).state.withLock { $0.writing[key.user]?[key.id] } }
    }

    /// Drops what was written. What could not be written stays for the next time.
    func end(isWritten: Bool) {
        for shard in shards {
            shard.state.withLock { state in
                if !isWritten {
                    swap(&state.pending, &state.writing)
                    for device in state.writing.values.flatMap(\.values) {
                        DeviceLedger.add(device, to: &state.pending)
                    }
                }
                state.writing = [:]
            }
        }
        isWriting.store(false, ordering: .releasing)
    }

    /// Keeps as many devices of a user as the store does.
    private static func add(_ device: Device, to notes: inout Notes) {
        let user = device.key.user
        let id = device.key.id
        guard notes[user]?[id] == nil else { return notes[user]![id]!.merge(device) }
        notes[user, default: [:]][id] = device
        guard let mine = notes[user], mine.count > Device.mostOfUser else { return }
        let oldest = mine.values.min { ($0.overall.lastSeen, $0.key.id) < ($1.overall.lastSeen, $1.key.id) }
        if let oldest { notes[user]?[oldest.key.id] = nil }
    }
}
