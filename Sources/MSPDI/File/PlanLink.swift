/// One `PredecessorLink`. The successor is the task that contains it.
struct PlanLink {
    var predecessorUID: Int?
    /// What the file has instead of a UID, if it has anything.
    var predecessorText: String?
    /// As in the file: 0 FF, 1 FS, 2 SF, 3 SS.
    var type: Int
    /// In tenths of a minute, or in percent of the predecessor's duration.
    var lag: Int
    var lagFormat: Int
    var isCrossProject: Bool

    init(_ fields: Fields) {
        predecessorUID = fields.uid("PredecessorUID")
        predecessorText = predecessorUID == nil ? fields.text("PredecessorUID") : nil
        type = fields.integer("Type") ?? 1
        lag = fields.integer("LinkLag") ?? 0
        lagFormat = fields.integer("LagFormat") ?? 7
        isCrossProject = fields.flag("CrossProject") ?? false
        fields.tallyOmitted()
    }
}
