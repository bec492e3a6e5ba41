/// Builds one record of the file at a time and hands it to `file`. Memory holds what was
/// understood, never the whole document.
///
/// The document is `Project` > a field, or a section > records. Sections that are not imported are skipped at any
/// depth. So are parts of records of which only the presence matters.
final class ElementBuilder {
    /// The sections that are read, with the name of their records.
    private static let records = [
        "Tasks": "Task", "Resources": "Resource", "Assignments": "Assignment", "Calendars": "Calendar",
        "ExtendedAttributes": "ExtendedAttribute",
    ]
    /// One element of each of these is kept, without its content, however many there are.
    private static let opaque: Set = ["TimephasedData", "Baseline", "WorkWeeks", "Rates", "AvailabilityPeriods"]
    /// The longest text, in bytes. The end of a longer one is dropped.
    static let longestText = 1 << 20

    private(set) var file: PlanFile
    private var depth = 0
    private var section = ""
    private var entries = 0
    private var open: [PlanElement] = []
    /// Which opaque elements each of the open elements has.
    private var opaque: [Set<String>] = []
    private var skippedFrom: Int?
    private var text: [UInt8] = []
    private var isCut = false

    init(_ file: PlanFile) { self.file = file }

    func start(_ name: String, line: Int) throws(PlanFault) {
        depth += 1
        clearText()
        switch depth {
        case 1: try checkRoot(name)
        case 2: (section, entries) = (name, 0)
        case 3: startRecord(name, line)
        default: descend(name, line)
        }
    }

    func text(_ bytes: UnsafeRawBufferPointer) {
        guard depth == 2 || !open.isEmpty, skippedFrom == nil else { return }
        isCut = isCut || text.count + bytes.count > ElementBuilder.longestText
        if !isCut { text.append(contentsOf: bytes) }
    }

    func end() throws(PlanFault) {
        defer { depth -= 1 }
        if let skippedFrom {
            if depth == skippedFrom { self.skippedFrom = nil }
        } else if depth == 2 {
            endSection()
        } else if let element = open.popLast() {
            opaque.removeLast()
            try close(element)
        }
        clearText()
    }

    /// The file's content, after the last element.
    func finished() -> PlanFile {
        file.finish()
        return file
    }

    private func checkRoot(_ name: String) throws(PlanFault) {
        guard name == "Project" else {
            throw PlanFault(
                reason: "is not a Microsoft Project plan: the root element is \"\(name)\", not \"Project\"",
                hint: PlanFault.saveAsXML)
        }
    }

    private func startRecord(_ name: String, _ line: Int) {
        entries += 1
        guard let record = ElementBuilder.records[section] else { return }
        if record == name {
            open = []
            opaque = []
            push(name, line)
        } else {
            file.omissions.count("unknown \(name) in \(section):", "element")
        }
    }

    private func descend(_ name: String, _ line: Int) {
        guard let parent = open.indices.last, skippedFrom == nil else { return }
        guard ElementBuilder.opaque.contains(name) else { return push(name, line) }
        skippedFrom = depth
        if opaque[parent].insert(name).inserted {
            open[parent].children.append(PlanElement(name: name, line: line, text: "present"))
        }
    }

    private func push(_ name: String, _ line: Int) {
        open.append(PlanElement(name: name, line: line))
        opaque.append([])
    }

    private func close(_ element: PlanElement) throws(PlanFault) {
        var element = element
        if element.children.isEmpty { element.text = takeText() }
        if let parent = open.indices.last {
            open[parent].children.append(element)
        } else {
            try file.add(element)
        }
    }

    private func endSection() {
        if entries == 0 {
            file.addField(section, takeText())
        } else if ElementBuilder.records[section] == nil {
            let number = entries == 1 ? "1 entry" : "\(entries) entries"
            file.omissions.add("project element \(section): \(number)", kind: "project element")
        }
    }

    private func takeText() -> String {
        if isCut { file.omissions.count("the ends of", "text", after: "longer than 1 MiB") }
        return text.isEmpty ? "" : String(decoding: text, as: UTF8.self)
    }

    private func clearText() {
        text.removeAll(keepingCapacity: true)
        isCut = false
    }
}

/// An element of a record, for example of a task, with everything inside it.
struct PlanElement {
    let name: String
    /// The line on which it starts, counted from 1.
    let line: Int
    /// Its text, unless it has children: MSPDI has no mixed content.
    var text = ""
    var children: [PlanElement] = []

    /// The text of the first child with this name, without white space at its ends. Nil
    /// when there is none or it is empty.
    subscript(_ name: String) -> String? {
        guard let text = children.first(where: { $0.name == name })?.text.trimmed, !text.isEmpty else { return nil }
        return text
    }

    func all(_ name: String) -> [PlanElement] { children.filter { $0.name == name } }

    /// The records of a list, for example the `WeekDay`s of `WeekDays`.
    func all(_ name: String, in list: String) -> [PlanElement] { all(list).flatMap { $0.all(name) } }

    func has(_ name: String) -> Bool { children.contains { $0.name == name } }
}

extension String {
    /// Without white space at both ends.
    var trimmed: String {
        if let first = utf8.first, let last = utf8.last, (0x21..<0x80).contains(first), (0x21..<0x80).contains(last) {
            return self
        }
        guard let first, let last, first.isWhitespace || last.isWhitespace else { return self }
        guard let end = lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(self[...end].drop(while: \.isWhitespace))
    }
}
