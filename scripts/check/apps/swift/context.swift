// What an app has around the samples of docs/swift-app.md. They are compiled with it, and never run.

import SyncClient

let folder = "", path = "", password = "", server = "", project = "", site = "", token = "", schemaText = ""
let session = Session()

struct Session {
    func freshToken() async throws -> String? { nil }
}

func wantsToKeep(_ count: Int) async -> Bool { count > 0 }

@MainActor func show(_: [TasksRow]) {}
@MainActor func refresh(_: Set<String>) {}
@MainActor func tell(_: String) {}

/// A screen of the app. Each sample is one of its functions.
@MainActor final class Screen {
    let account: Account, replica: Replica, syncer: Syncer, store: PlanStore
    var tasks: [TasksRow] = []
    var isAway = false

    init(account: Account, replica: Replica, syncer: Syncer, store: PlanStore) {
        (self.account, self.replica, self.syncer, self.store) = (account, replica, syncer, store)
    }
}

// The parts of SwiftUI that the sample of a view uses, as Apple declares them.

@MainActor protocol View {
    associatedtype Body: View
    var body: Body { get }
}

struct Shown: View {
    var body: Shown { self }
}

extension View {
    func overlay<Other: View>(alignment: Alignment, @ViewBuilder content: () -> Other) -> Shown { Shown() }
    func task<ID: Equatable>(
        id: ID, @_inheritActorContext _ action: sending @escaping () async -> Void
    ) -> Shown { Shown() }
}

@resultBuilder enum ViewBuilder {
    static func buildBlock<Content: View>(_ content: Content) -> Content { content }
}

enum Alignment { case bottom }
enum ScenePhase { case active, inactive, background }

struct EnvironmentValues {
    var scenePhase: ScenePhase
}

@propertyWrapper struct Environment<Value> {
    init(_ path: KeyPath<EnvironmentValues, Value>) {}
    var wrappedValue: Value { fatalError("never run") }
}

@propertyWrapper struct State<Value> {
    init(wrappedValue: Value) {}
    var wrappedValue: Value {
        get { fatalError("never run") }
        nonmutating set {}
    }
}

@MainActor func List<Rows: RandomAccessCollection, Row: View>(
    _ rows: Rows, @ViewBuilder row: @escaping (Rows.Element) -> Row
) -> Shown where Rows.Element: Identifiable { Shown() }

@MainActor func Text(_ text: String) -> Shown { Shown() }
