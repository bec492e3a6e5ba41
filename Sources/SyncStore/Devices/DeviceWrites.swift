/// Writes of the ledger of devices.
package protocol DeviceWrites {
    /// Merges the devices with what is known of them: the later of each value counts, whatever the order of the writes.
    /// Then each of their users has at most `Device.mostOfUser` devices, those that were seen last.
    func merge(_ devices: [Device]) throws
    /// Forgets a device. Returns false if there is none.
    func forgetDevice(_ key: DeviceKey) throws -> Bool
}
