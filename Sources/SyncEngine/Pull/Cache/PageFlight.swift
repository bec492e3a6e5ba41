import SyncStore

/// A page that is being read, and the readers who wait for it.
typealias PageFlight = Flight<PageLanding>
