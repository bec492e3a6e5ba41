package import SyncProtocol

/// A device of a user. The id is the device's own; two users may have devices with the same one.
package struct DeviceKey: Sendable, Hashable {
    package let user: Int64
    package let id: ExactText

    package init(user: Int64, id: ExactText) { (self.user, self.id) = (user, id) }
}
