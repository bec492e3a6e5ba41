import SyncProtocol
import SyncTestKit

/// One step of a run, as a value: what a run does is the list of these.
indirect enum Operation: Sendable {
    /// Somebody edits a device, whatever its network does.
    case edit(device: Int, Edit)
    /// A device talks to the server.
    case exchange(device: Int, Exchange)
    /// Somebody else writes, beside the devices: to any collection, to the memberships, or a purge.
    case write(RandomWrites.Write)
    /// The server is killed, and a new one opens what the old one left.
    case restart
    case backUp
    /// The latest backup takes the database's place; nothing where there is none.
    case restore
    case export
    /// A new database with nothing but the project, imported from the latest export, or from one that is made now,
    /// takes the database's place: its numbers and versions begin anew.
    case importOver
}

/// A change of a task on a device. Texts are unique in a run, so that each can be followed.
struct Edit: Sendable {
    enum Verb: String, Sendable { case insert, update, delete }

    let verb: Verb
    let id: String
    var fields: [String: JSON] = [:]

    /// The fields that hold unique texts.
    static let tracked = ["name", "notes", "wbs_path"]
}

/// What a device does over the network.
struct Exchange: Sendable {
    enum Verb: String, Sendable, CaseIterable { case pull, push, sync }

    let verb: Verb
    let pageSize: Int
    /// What happens to its requests, one each; the network is sound from there on.
    var incidents: [Incident]
}

/// What happens to one request.
enum Incident: Sendable {
    case nothing
    /// The server never sees it.
    case requestLost
    /// The server acts, and the client does not hear of it.
    case answerLost
    /// The server sees it twice, at once; the client gets the first answer or the second.
    case doubled(firstAnswer: Bool)
    /// The client hears nothing, and the server sees it that many requests later.
    case delayed(by: Int)
    /// The client is answered, and the server sees it once more that many requests later.
    case echoed(by: Int)
    /// Of the answer's body that many percent arrive.
    case cut(percent: Int)
    /// A proxy answers, whether the server has acted or not.
    case unavailable(status: Int, retryAfter: Int?, acted: Bool)
    /// The device's process dies, before the request or with its answer.
    case death(acted: Bool)
    /// Before the request arrives.
    case meanwhile([Operation])
}

extension Operation: CustomStringConvertible {
    var description: String {
        switch self {
        case .edit(let device, let edit): "device \(device) \(edit.verb) \(edit.id) \(JSON.object(edit.fields).text)"
        case .exchange(let device, let exchange):
            "device \(device) \(exchange.verb) by \(exchange.pageSize): "
                + exchange.incidents.map { "\($0)" }.joined(separator: ", ")
        case .write(let write): "\(write)"
        case .restart: "restart"
        case .backUp: "back up"
        case .restore: "restore"
        case .export: "export"
        case .importOver: "import over"
        }
    }
}
