import SyncSchema
import Testing

@Suite struct TypeScriptTypesTests {
    @Test func aRowHasTheTypesOfTheEncodingJSON() throws {
        let text = try TypeScriptTypes(WatermelonSchemaTests.registry()).text
        #expect(
            text.contains(
                """
                /** What floats. Mostly. */
                export interface BoatsRow {
                    readonly id: string;
                    /** The number of edits of this row. It is not a watermark. */
                    readonly server_version: number;
                    berths: 2 | 4;
                    /** YYYY-MM-DD. */
                    built: string | null;
                    /** YYYY-MM-DDTHH:MM:SS.mmmZ. */
                    readonly created_at: string;
                    crew: number | null;
                    is_afloat: boolean;
                    kind: "sail" | "motor";
                    length: number;
                    log: ({ "at": string; "text"?: string | null })[];
                    /** The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ. */
                    modified_at: string | null;
                    /** As painted on. * / alert(1) */
                    name: string;
                    /** Ids of rows of `risks`. */
                    risks: (string)[];
                    /** YYYY-MM-DDTHH:MM:SS.mmmZ. */
                    seen_at: string | null;
                    /** The id of a user. */
                    skipper: number | null;
                    /** The id of a row of `tasks`. */
                    task: string | null;
                }

                """))
        let uploadable = try #require(text.firstMatch(of: /export type Uploadable = (.*);/)?.1)
        #expect(uploadable.contains("'tasks' | ") && uploadable.contains("'boats'"))
        #expect(!uploadable.contains("'projects'") && !uploadable.contains("'memberships'"))
    }

    @Test func theTypesOfAllProjectsNameTheProjectInEveryRow() throws {
        let registry = try WatermelonSchemaTests.registry()
        let text = TypeScriptTypes(registry, allProjects: true).text
        #expect(text.ranges(of: "    readonly project_id: string;\n").count == registry.collections.count)
        for member in ["left_projects?: ", "replaced?: ", "heads?: ", "timestamps: ", "timestamp: null;"] {
            #expect(text.contains("    \(member)"), "\(member)")
        }
        #expect(text.contains(/export type Uploadable = .*'projects'.*;/))
        let plain = TypeScriptTypes(registry).text
        for word in ["project_id", "left_projects", "heads", "timestamps"] { #expect(!plain.contains(word), "\(word)") }
    }

    @Test func newRowsHaveWhatIsRequiredAndNothingThatTheServerWrites() throws {
        let registry = try Registry.builtIn()
        let text = TypeScriptTypes(registry, allProjects: true).text
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("    dependencies: ") }
        #expect(lines.count == 3)
        let fields = "'dep_type' | 'lag' | 'modified_at'"
        #expect(
            lines.dropFirst().map(String.init) == [
                "    dependencies: { id?: string; project_id: string } & "
                    + "Pick<DependenciesRow, 'predecessor' | 'successor'> & Partial<Pick<DependenciesRow, \(fields)>>;",
                "    dependencies: Partial<Pick<DependenciesRow, "
                    + "'dep_type' | 'lag' | 'modified_at' | 'predecessor' | 'successor'>>;",
            ])
        let plain = TypeScriptTypes(registry).text
        #expect(plain.contains("    tasks: { id?: string } & Pick<TasksRow, 'name'> & Partial<Pick<TasksRow, "))
        #expect(!plain.contains("    projects: {"))
        #expect(text.contains("    projects: { id?: string } & Pick<ProjectsRow, 'name' | 'start_date'> & "))
    }

    /// There is no TypeScript compiler here, so this checks that every
    /// line has one of the known forms and that brackets are balanced.
    @Test(arguments: [false, true])
    func everyBuiltInCollectionIsAnInterfaceOfWellFormedLines(allProjects: Bool) throws {
        let registry = try Registry.builtIn()
        let text = TypeScriptTypes(registry, allProjects: allProjects).text
        #expect(text.matches(of: /(?m)^export interface \w+Row \{$/).count == 14)
        let members = text.matches(of: /(?m)^    (readonly )?\w+\??: [^;{]+;$/).count
        #expect(members >= registry.collections.map { $0.fields.count + 2 }.reduce(0, +))
        for collection in registry.collections { #expect(text.contains("    \(collection.name): ")) }
        for (open, close) in [("{", "}"), ("(", ")"), ("[", "]"), ("/**", "*/")] {
            #expect(text.ranges(of: open).count == text.ranges(of: close).count)
        }
        let forms =
            /^(\}|export (interface \w+(<\w+>)?|type .*) ?(=.*;|\{)| *\/\*\*.*\*\/|\/\/.*| +(readonly )?\w+\??: .*;|)$/
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            #expect((try? forms.wholeMatch(in: line)) != nil, "\(line)")
        }
    }
}
