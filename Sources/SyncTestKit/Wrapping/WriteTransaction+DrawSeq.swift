package import SyncProtocol
package import SyncStore

extension WriteTransaction {
    /// Draws the next sequence number of an existing project.
    package func drawSeq(of project: String, at date: Instant = Workbench<ModelStore>.noon) throws -> SyncSeq {
        try drawSeq(of: self.project(project)!, shortIDs: 0, at: date)
    }
}
