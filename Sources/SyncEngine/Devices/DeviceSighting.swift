package import SyncProtocol
package import SyncStore

/// What one request tells of a device.
package struct DeviceSighting: Sendable {
    package let user: Int64
    package let device: DeviceDescription
    /// The project that the request was about, once its access was judged; nil for a request about none or all of them.
    package var project: String?
    /// The watermark that the device presented: of the project or, without one, user-wide. Nil if it presented none.
    package var watermark: Int64?
    /// The `timestamp` of the drain whose end the device was sent, of the project or user-wide.
    package var sent: Int64?
    /// Whether an upload was applied.
    package var isUpload = false
    /// The code with which the request was refused.
    package var error: ErrorCode?
    package var comparison: DeviceActivity.Comparison?

    package init(of device: DeviceDescription, user: Int64, project: String? = nil) {
        (self.device, self.user, self.project) = (device, user, project)
    }

    /// What is known of the device by this request alone.
    func seen(at now: Instant) -> Device {
        let dated = { (isAbout: Bool) in
            DeviceActivity(
                firstSeen: now, lastSeen: now, lastUpload: isUpload ? now : nil,
                watermark: isAbout ? watermark.map { Dated($0, at: now) } : nil,
                sent: isAbout ? sent.map { Dated($0, at: now) } : nil,
                lastError: error.map { Dated($0.rawValue, at: now) },
                comparison: comparison.map { Dated($0, at: now) })
        }
        return Device(
            key: DeviceKey(user: user, id: device.id), name: device.name.map { Dated($0, at: now) },
            appVersion: device.appVersion.map { Dated($0, at: now) },
            overall: dated(project == nil), projects: project.map { [$0: dated(true)] } ?? [:])
    }
}
