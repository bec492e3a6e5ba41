package import SyncProtocol
package import SyncStore

extension WriteTransaction {
    /// Draws the next sequence number of an existing project, and records the commit.
    package func drawSeq(of project: String, at date: Instant = Workbench<ModelStore>.noon) throws -> SyncSeq {
        let seq = try drawSeq(of: self.project(project)!, shortIDs: 0)
        try number(NumberedCommit(project: project, seq: seq, at: date))
        return seq
    }
}
