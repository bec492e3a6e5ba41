/// How many devices the ledger holds.
package struct DeviceCounts: Sendable, Equatable {
    package let known: Int
    /// Devices that have to pull a project of theirs from 0: they presented a watermark below its purge horizon, or one
    /// from before a restore.
    package let belowHorizon: Int

    package init(known: Int, belowHorizon: Int) { (self.known, self.belowHorizon) = (known, belowHorizon) }
}
