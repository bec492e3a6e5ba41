import Dispatch
package import SyncEngine

extension StreamDeadline {
    /// A deadline that never passes, so no test depends on how busy the machine is.
    package static var endless: StreamDeadline {
        StreamDeadline { slots, _ in
            slots.wait()
            return .zero
        }
    }
}
