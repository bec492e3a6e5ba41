import SyncProtocol
import SyncStore
import SyncTestKit

/// One step of a run, as a value. A run is a list of operations.
indirect enum Operation: Sendable {
    /// Somebody edits on a device, with or without a network.
    case edit(device: Int, Edit)
    /// A device talks to the server.
    case exchange(device: Int, Exchange)
    /// Somebody adds a file on a device, and makes the edit of the row that names it, before or after.
    case attach(device: Int, PlannedFile, Edit, addsFirst: Bool)
    /// The server removes the files that no row names, as if long after.
    case sweepFiles
    /// A device is told to hold these parts from now on; none for everything.
    case parts(device: Int, [JSON])
    /// Somebody else writes, not on a device: to any collection or to the memberships; or a purge runs.
    case write(RandomWrites.Write, project: String = Edit.first)
    /// The second project is archived, or is no longer.
    case archive(Bool)
    /// The server is killed, and a new one opens the files that it left.
    case restart
    case backUp
    /// The latest backup replaces the database. Does nothing if there is no backup.
    case restore
    case export
    /// A new database replaces the old one. It holds nothing but the project, imported from the latest export or from
    /// one that is made now. Its numbers and versions start again from the beginning.
    case importOver
}

/// An edit of a row on a device. Texts are unique in a run, so each one can be followed.
struct Edit: Sendable {
    enum Verb: String, Sendable { case insert, update, delete }

    /// The projects that a run begins with. Devices of all projects make more.
    static let (first, second) = ("p1", "p2")

    let verb: Verb
    var row: RowKey
    /// The row's project.
    var project = Edit.first
    var fields: [String: JSON] = [:]
    /// Whether a simple client sends the edit even if it does not have the row.
    var isGuess = false

    /// An edit of a task.
    init(verb: Verb, id: String, fields: [String: JSON] = [:], project: String = Edit.first) {
        self.init(verb: verb, row: RowKey("tasks", id), fields: fields, project: project)
    }

    init(
        verb: Verb, row: RowKey, fields: [String: JSON] = [:], isGuess: Bool = false, project: String = Edit.first
    ) {
        (self.verb, self.row, self.fields, self.isGuess, self.project) = (verb, row, fields, isGuess, project)
    }

    /// The fields of a task that hold these unique texts.
    static let taskTexts = ["name", "notes", "wbs_path"]
    /// The fields of any collection that do.
    static let tracked = taskTexts + ["goal", "title", "text", "reason", "note", "description", tags]
    /// The field that holds a list of unique texts. An edit puts one in.
    static let tags = "tags"
}

/// What a device does over the network.
struct Exchange: Sendable {
    enum Verb: String, Sendable, CaseIterable { case pull, push, sync }

    let verb: Verb
    let pageSize: Int
    /// What happens to its requests, one entry for each. After the last entry the network is sound.
    var incidents: [Incident]
}

/// What happens to one request.
enum Incident: Sendable {
    case nothing
    /// The request never reaches the server.
    case requestLost
    /// The server handles the request, but the client does not get the answer.
    case answerLost
    /// The server gets the request twice at the same time; the client gets the first or the second answer.
    case doubled(firstAnswer: Bool)
    /// The client gets no answer, and the server gets the request that many requests later.
    case delayed(by: Int)
    /// The client gets the answer, and the server gets the request again that many requests later.
    case echoed(by: Int)
    /// Only that many percent of the answer's body arrive.
    case cut(percent: Int)
    /// A proxy answers instead of the server, whether or not the server has handled the request.
    case unavailable(status: Int, retryAfter: Int?, acted: Bool)
    /// The device's process dies, before the request is sent or when its answer arrives.
    case death(acted: Bool)
    /// These operations happen before the request arrives.
    case meanwhile([Operation])
}

extension Operation: CustomStringConvertible {
    var description: String {
        switch self {
        case .edit(let device, let edit):
            "device \(device) \(edit.isGuess ? "guesses" : "does") \(edit.verb) \(edit.row.collection) \(edit.row.id) "
                + "\(JSON.object(edit.fields).text) in \(edit.project)"
        case .exchange(let device, let exchange):
            "device \(device) \(exchange.verb) by \(exchange.pageSize): "
                + exchange.incidents.map { "\($0)" }.joined(separator: ", ")
        case .parts(let device, let filters): "device \(device) holds \(JSON.array(filters).text)"
        case .write(let write, let project): "\(write) in \(project)"
        case .attach(let device, let file, let edit, let addsFirst):
            "device \(device) adds \(file) \(addsFirst ? "before" : "after") its \(edit.verb) of \(edit.row.id) "
                + JSON.object(edit.fields).text
        case .sweepFiles: "sweep files"
        case .archive(let isArchived): isArchived ? "archive the second project" : "unarchive the second project"
        case .restart: "restart"
        case .backUp: "back up"
        case .restore: "restore"
        case .export: "export"
        case .importOver: "import over"
        }
    }
}
