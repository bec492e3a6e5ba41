/// A place in a list of devices, which goes by user and device. It names no device, because not everybody may know ids.
package struct DevicePlace: Sendable, Equatable {
    let user: Int64
    /// How many of the user's devices come before.
    let count: Int

    package static let start = DevicePlace(user: 0, count: 0)

    init(user: Int64, count: Int) { (self.user, self.count) = (user, count) }

    /// Reads what `text` gives; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let user = Int64(parts[0]), let count = Int(parts[1]), user > 0, count >= 0 else {
            return nil
        }
        self.init(user: user, count: count)
    }

    package var text: String { "\(user).\(count)" }
}
