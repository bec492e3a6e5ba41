import Dispatch
package import SyncEngine

extension Patience {
    /// Waits as long as it takes, so that no test depends on how busy the machine is.
    package static var endless: Patience {
        Patience { places, _ in
            places.wait()
            return .zero
        }
    }
}
