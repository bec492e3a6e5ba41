/// Reads of the ledger of devices.
package protocol DeviceReads {
    /// The user's devices, sorted by the bytes of their ids. With a project, only the activity in this one is read.
    func devices(of user: Int64, in project: String?) throws -> [Device]
    /// At most `limit` ids of users who have devices, greater than `after`, sorted.
    func usersWithDevices(after: Int64, limit: Int) throws -> [Int64]
    /// Looks at every device.
    func deviceCounts() throws -> DeviceCounts
}
