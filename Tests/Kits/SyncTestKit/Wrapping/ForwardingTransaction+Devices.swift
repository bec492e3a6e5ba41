import SyncProtocol
import SyncStore

extension ForwardingTransaction {
    func devices(of user: Int64, in project: String?) throws -> [Device] {
        try forward { try $0.devices(of: user, in: project) }
    }
    func usersWithDevices(after: Int64, limit: Int) throws -> [Int64] {
        try forward { try $0.usersWithDevices(after: after, limit: limit) }
    }
    func deviceCounts() throws -> DeviceCounts { try forward { try $0.deviceCounts() } }

    func merge(_ devices: [Device]) throws { try forward { try $0.merge(devices) } }
    func forgetDevice(_ key: DeviceKey) throws -> Bool { try forward { try $0.forgetDevice(key) } }
}
