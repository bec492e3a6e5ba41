import SyncProtocol
import SyncStore

extension ModelTransaction {
    func devices(of user: Int64, in project: String?) -> [Device] {
        let mine = state.devices.values.filter { $0.key.user == user }.sorted { $0.key.id < $1.key.id }
        guard let project else { return mine }
        return mine.map { device in
            Device(
                key: device.key, name: device.name, appVersion: device.appVersion, overall: device.overall,
                projects: device.projects.filter { $0.key == project })
        }
    }

    func usersWithDevices(after: Int64, limit: Int) -> [Int64] {
        Array(Set(state.devices.keys.map(\.user)).filter { $0 > after }.sorted().prefix(limit))
    }

    func deviceCounts() -> DeviceCounts {
        DeviceCounts(known: state.devices.count, belowHorizon: state.devices.values.count(where: isBelowHorizon))
    }

    private func isBelowHorizon(_ device: Device) -> Bool {
        state.projects.contains { id, project in
            guard !project.isDeleted, access(project: id, user: device.key.user)?.role != nil else { return false }
            guard let watermark = device.watermark(in: id) else { return false }
            switch watermark.value {
            case 0: return false
            case ..<CommitNumber.limit: return watermark.value < project.horizon
            default:
                let number = CommitNumber(watermark.value - CommitNumber.limit)
                guard let head = head(of: id, at: number) else { return false }
                let stint = stints(of: device.key.user).last { $0.project == id }
                return stint?.covers(head) ?? false && head.rawValue < project.horizon
            }
        }
    }

    func merge(_ devices: [Device]) {
        for device in devices {
            if state.devices[device.key] == nil {
                state.devices[device.key] = device
            } else {
                state.devices[device.key]?.merge(device)
            }
        }
        for user in Set(devices.map(\.key.user)) {
            let mine = state.devices.values.filter { $0.key.user == user }
            let sorted = mine.sorted { one, other in
                (other.overall.lastSeen, one.key.id) < (one.overall.lastSeen, other.key.id)
            }
            for device in sorted.dropFirst(Device.mostOfUser) { state.devices[device.key] = nil }
        }
    }

    func forgetDevice(_ key: DeviceKey) -> Bool { state.devices.removeValue(forKey: key) != nil }
}
