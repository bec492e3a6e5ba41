"""Tests of the rules for the tree and of `scripts/merge-files`: `python3 -m unittest house.tests`, in `scripts`."""

import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

from house import functions, merging, rules, swift

ROOT = pathlib.Path(__file__).resolve().parents[2]


def tree(**texts):
    """Files of one target: names without `.swift`."""
    return {f"Sources/One/{name.replace('__', '/')}.swift": swift.File(text) for name, text in texts.items()}


def real_tree(name):
    paths = (ROOT / "Sources" / name).rglob("*.swift")
    return {str(path.relative_to(ROOT)): swift.File(path.read_text()) for path in paths}


def lines(count, first="struct Long {"):
    return "\n".join([first, *(f"    let a{number} = {number}" for number in range(count - 2)), "}", ""])


class RuleTests(unittest.TestCase):
    def test_a_target_that_is_split_is_refused(self):
        whole = real_tree("SyncStoreSQL")
        self.assertEqual(list(rules.lengths(whole)), [])
        split = {}
        for path, file in whole.items():
            parts = file.source.splitlines(keepends=True)
            for start in range(0, len(parts), 30):
                split[path.replace(".swift", f"{start}.swift")] = swift.File("".join(parts[start:start + 30]))
        self.assertRegex(list(rules.lengths(split))[0], r"Sources/SyncStoreSQL: \d+ of \d+ files have less than 40")

    def test_a_long_file_is_refused(self):
        self.assertEqual(list(rules.lengths(tree(Long=lines(600)))), [])
        self.assertEqual(len(list(rules.lengths(tree(Long=lines(601))))), 1)

    def test_a_small_target_has_no_folders(self):
        self.assertEqual(list(rules.folders(tree(A="", B=""))), [])
        self.assertEqual(len(list(rules.folders(tree(A="", Folder__B="")))), 1)

    def test_a_folder_has_three_to_twenty_five_files(self):
        many = {f"Many__A{number}": "" for number in range(26)}
        self.assertEqual(list(rules.folders(tree(**many)))[0], "Sources/One/Many: 26 files, not 3 to 25")
        two = {**dict(list(many.items())[:25]), "Few__A": "", "Few__B": ""}
        self.assertEqual(list(rules.folders(tree(**two))), ["Sources/One/Few: 2 files, not 3 to 25"])

    def test_a_foreign_type_is_refused(self):
        whole = real_tree("SyncStoreSQL")
        self.assertEqual(list(rules.connections(whole, {})), [])
        for path, file in random.Random(1).sample(sorted(whole.items()), 10):
            if rules.declared([file]):
                planted = {path: swift.File(file.source + "\nstruct Planted {\n    let value: Int\n}\n")}
                self.assertRegex(" ".join(rules.connections(whole | planted, {})), r"\bPlanted\b")

    def test_types_are_connected_by_either_of_them_and_by_an_extension_of_the_target(self):
        self.assertEqual(list(rules.connections(tree(A="struct A { let b: B }\nstruct B {}\n"), {})), [])
        apart = tree(A="struct A { let b = 1 }\n\n/// Not a `A`.\nstruct B { let text = \"A\" }\n")
        self.assertEqual(len(list(rules.connections(apart, {}))), 1)
        self.assertEqual(list(rules.connections(apart, {"Sources/One/A.swift": "for a reason"})), [])
        by_own = "struct A {}\nstruct B {}\nextension Draft { func a(_ b: B) -> A { } }\n"
        joined = tree(Draft="struct Draft {}\n", A=by_own)
        self.assertEqual(list(rules.connections(joined, {})), [])
        by_foreign = tree(A="struct A { let j: JSON }\nstruct B { let j: JSON }\nextension JSON {\n}\n")
        self.assertEqual(len(list(rules.connections(by_foreign, {}))), 1)

    def test_an_exception_that_is_none_is_refused(self):
        for name in ("A", "B"):
            found = rules.connections(tree(A="struct A {}\n"), {f"Sources/One/{name}.swift": "why"})
            self.assertEqual(len(list(found)), 1)

    def test_a_file_is_called_after_its_largest_type_or_the_one_that_leads(self):
        large = "struct Large {\n    let a = 1\n    let b = 2\n}\n"
        self.assertEqual(list(rules.titles(tree(Large=large + "struct Small {}\n"))), [])
        self.assertEqual(len(list(rules.titles(tree(Small=large + "struct Small {}\n")))), 1)
        self.assertEqual(list(rules.titles(tree(Small=large + "struct Small { let one: Large }\n"))), [])
        self.assertEqual(list(rules.titles(tree(**{"Other+Topic": "extension Other {}\n"}))), [])

    def test_a_name_means_one_type(self):
        both = tree(A="struct Same {}\nprivate struct Kept {}\n") | {
            "Sources/Two/A.swift": swift.File("enum Same {}\nprivate struct Kept {}\n")}
        self.assertEqual(list(rules.names(both, set())), ["Same means a type of One and one of Two"])
        self.assertEqual(list(rules.names(both, {"Same"})), [])
        self.assertEqual(len(list(rules.names(tree(A="struct Same {}\n"), {"Same"}))), 1)

    def test_a_third_parameter_without_a_label_is_refused(self):
        text = "struct A {\n    func a<T: B<C>>(_ a: (Int, Int), _ b: [Int: Int], to c: (_ x: Int) -> Void) {}\n%s}\n"
        self.assertEqual(list(rules.labels(tree(A=text % ""))), [])
        planted = tree(A=text % "    init(\n        _ a: Int, _ b: Int, _ c: Int\n    ) { }\n")
        self.assertEqual(list(rules.labels(planted)),
                         ["Sources/One/A.swift:3: init has 3 parameters without a label"])

    def test_an_assignment_of_a_tuple_is_refused_where_it_is_to_hold(self):
        fine = "func a() {\n    (a, b) = (b, a)\n    let (c, d) = f(a, b)\n    let (e, f) = (a, b).g()\n}\n"
        self.assertEqual(list(rules.tuples(tree(A=fine))), [])
        planted = tree(A=fine + "func b() {\n    (a, b) = (c, d)\n    let (a, b) = (f(1, 2), [3, 4])\n}\n")
        self.assertEqual(list(rules.tuples(planted)),
                         [f"Sources/One/A.swift:{line}: assigns several values at once" for line in (7, 8)])


class ReadingTests(unittest.TestCase):
    def test_texts_and_comments_are_no_code_and_interpolations_are(self):
        code = swift.without_text('let a = "x \\(b("c", d)) e" // f\nlet g = #"h " \\#(i) "# /* j */\n'
                                  'let k = """\n  l \\(m)\n  """\n')
        self.assertEqual(set(code.replace("(", " ").replace(")", " ").replace(",", " ").split()),
                         {"let", "a", "=", "b", "d", "g", "i", "k", "m"})

    def test_a_declaration_has_its_comment_and_its_members(self):
        file = swift.File("import A\n\n/// One.\n@frozen public struct One:\n    Two\n{\n    private let a: Int\n\n"
                          "    func b(\n        c: Int\n    ) {\n    }\n}\n\nextension One.Three {\n}\n")
        one, three = file.declarations
        self.assertEqual((one.kind, one.name, one.first, one.last), ("struct", "One", 2, 12))
        self.assertEqual([(member.name, member.is_private) for member in one.members], [("a", True), ("b", False)])
        self.assertEqual((three.type, three.first), ("One", 14))

    def test_the_length_of_a_function_is_that_of_its_body(self):
        code = ("    func a() { 1 }\n    func b(\n        c: Int\n    ) -> Int {\n        1\n    }\n    func c()\n"
                "    init() {\n    }\n")
        self.assertEqual([function.lines for function in functions.functions(code)], [1, 3, 0, 2])


class MergingTests(unittest.TestCase):
    def test_imports_have_the_higher_access_level_and_nothing_else_changes(self):
        text = merging.merged([
            "// Of the first.\n\nimport B\npackage import C\n\n@testable import T\n\nstruct A {}\n",
            "// Of the second.\n\n@preconcurrency public import B\nimport C\nimport struct D.E\n\n"
            "#if X\n    import X\n#endif\n\n#if DEBUG\nlet a = 1\n#endif\n",
        ])
        self.assertEqual(text, "// Of the first.\n\n@preconcurrency public import B\npackage import C\n\n"
                         "import struct D.E\n\n@testable import T\n\n#if X\n    import X\n#endif\n\nstruct A {}\n\n"
                         "// Of the second.\n\n#if DEBUG\nlet a = 1\n#endif\n")

    def test_a_line_that_is_lost_or_added_is_noticed(self):
        sources = ["import A\n\nlet a = 1\n", "let b = 2\n"]
        merging.check_lines(sources, merging.merged(sources))
        for text in ("import A\n\nlet a = 1\n", "let a = 1\nlet b = 2\nlet b = 2\n", "let a = 1\nlet b = 3\n"):
            with self.assertRaises(ValueError):
                merging.check_lines(sources, text)

    def test_names_that_files_keep_to_themselves_do_not_meet(self):
        reads = "extension A {\n    private func read() {}\n}\n"
        self.assertEqual(len(list(merging.collisions({"1": reads, "2": reads}))), 1)
        self.assertEqual(list(merging.collisions({"1": reads, "2": reads.replace("read", "write")})), [])
        kept, other = "private let limit = 1\n", "struct B {\n    let a = %s\n}\n"
        self.assertEqual(len(list(merging.collisions({"1": kept, "2": other % "limit"}))), 1)
        self.assertEqual(list(merging.collisions({"1": kept, "2": other % "c.limit"})), [])
        overload = "extension A {\n    func read(_ a: Int) {}\n    func all() { read(1) }\n}\n"
        self.assertEqual(len(list(merging.collisions({"1": reads, "2": overload}))), 1)


class Repository:
    """A repository of its own with forty Swift files and the script."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.git("init", "-q", "-b", "main")
        (self.folder / "scripts/house").mkdir(parents=True)
        for name in ("merge-files", *(f"house/{file.name}" for file in (ROOT / "scripts/house").glob("*.py"))):
            shutil.copy(ROOT / "scripts" / name, self.folder / "scripts" / name)
        for number in range(40):
            access = "package " if number % 3 == 0 else ""
            self.write(f"Sources/One/F{number % 7}/T{number}.swift",
                       f"{access}import Foundation\n\n/// {number}.\n" + lines(12, f"struct T{number} {{"))
        self.write("Sources/Kit/Deep/Kit.swift", "struct Kit {}\n")
        self.write("Sources/One/F0/T0.txt", "not Swift\n")
        os.symlink("../F0/T0.swift", self.folder / "Sources/One/F1/link.txt")
        files = "".join(f"  A/T{10 * of}: {' '.join(f'T{10 * of + part}' for part in range(10))}\n" for of in range(4))
        self.write("map", f"Sources/One\n{files}\nSources/Kit -> Tests/Kits/Kit\n  *\n")
        self.commit("before")

    def git(self, *words):
        config = ["-c", "user.name=A", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        command = ["git", *config, *words]
        return subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def write(self, path, text):
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text)

    def change(self, path, before, after):
        text = (self.folder / path).read_text()
        assert before in text
        self.write(path, text.replace(before, after, 1))

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def merge(self, *words):
        names = {f"GIT_{role}_{what}": "a@b" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        return subprocess.run([self.folder / "scripts/merge-files", "map", *words], cwd=self.folder, text=True,
                              capture_output=True, env=os.environ | names)


class ScriptTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = Repository(folder.name)

    def test_git_follows_the_largest_part_and_links_lead_on(self):
        self.assertEqual(self.here.merge("--commit").returncode, 0)
        self.assertEqual(self.here.git("status", "--porcelain"), "")
        followed = self.here.git("log", "--follow", "--format=%s", "--", "Sources/One/A/T10.swift").splitlines()
        self.assertEqual(followed[-1], "before")
        self.assertEqual(self.here.git("ls-files", "Sources", "Tests").split(), [
            *(f"Sources/One/A/T{number}.swift" for number in (0, 10, 20, 30)), "Sources/One/F0/T0.txt",
            "Sources/One/F1/link.txt", "Tests/Kits/Kit/Deep/Kit.swift"])
        self.assertEqual(os.readlink(self.here.folder / "Sources/One/F1/link.txt"), "../A/T0.swift")

    def test_what_the_map_leaves_out_is_named_and_stays(self):
        self.here.write("Sources/One/F0/New.swift", "struct New {}\n")
        self.here.commit("more")
        self.assertIn("not in the map: Sources/One/F0/New.swift", self.here.merge().stdout)
        self.assertTrue((self.here.folder / "Sources/One/F0/New.swift").exists())

    def test_a_tree_in_which_names_meet_is_left_alone(self):
        for number in (1, 2):
            self.here.write(f"Sources/One/F{number}/T{number}.swift", "private let same = 1\n")
        self.here.commit("same")
        result = self.here.merge("--commit")
        self.assertEqual(result.returncode, 1)
        self.assertIn("both keep same to themselves", result.stdout)
        self.assertEqual(self.here.git("log", "--format=%s").splitlines(), ["same", "before"])

    def test_a_branch_that_edits_twenty_files_is_carried_over(self):
        self.here.git("checkout", "-q", "-b", "branch")
        for number in range(20):
            path = f"Sources/One/F{number % 7}/T{number}.swift"
            self.here.change(path, "    let a5 = 5\n", f"    let changed{number} = {number}\n")
        self.here.commit("branch: twenty files")
        self.here.change("Sources/One/F4/T4.swift", "import Foundation", "public import Foundation\nimport NIOCore")
        self.here.write("Sources/One/F3/Added.swift", "struct Added {}\n")
        self.here.commit("branch: an import, and a file")
        self.here.git("checkout", "-q", "main")
        self.here.change("Sources/One/F1/T1.swift", "    let a9 = 9\n", "    let ours = 9\n")
        self.here.commit("main: meanwhile")
        self.assertEqual(self.here.merge("--commit").returncode, 0)
        result = self.here.merge("--carry", "branch~2", "branch")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("adds Sources/One/F3/Added.swift, which stays there", result.stdout)
        self.assertEqual(self.here.git("log", "-2", "--format=%s").splitlines(),
                         ["branch: an import, and a file", "branch: twenty files"])
        for number in range(20):
            text = (self.here.folder / f"Sources/One/A/T{number // 10 * 10}.swift").read_text()
            self.assertIn(f"struct T{number} {{", text)
            self.assertEqual(text.count(f"    let changed{number} = {number}\n"), 1)
        text = (self.here.folder / "Sources/One/A/T0.swift").read_text()
        self.assertTrue(text.startswith("public import Foundation\nimport NIOCore\n\n"))
        self.assertIn("    let ours = 9\n", text)
        self.assertEqual(self.here.git("show", "--stat", "--format=", "HEAD~1").count("Sources/One/A/"), 2)


if __name__ == "__main__":
    unittest.main()
