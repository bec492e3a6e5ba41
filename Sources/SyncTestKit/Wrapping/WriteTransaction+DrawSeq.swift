package import SyncProtocol
package import SyncStore

extension WriteTransaction {
    /// The next number of a project that is there.
    package func drawSeq(of project: String, at date: Instant = Workbench<ModelStore>.noon) throws -> SyncSeq {
        try drawSeq(of: self.project(project)!, shortIDs: 0, at: date)
    }
}
