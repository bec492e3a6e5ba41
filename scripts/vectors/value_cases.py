"""The collections and rows of `scripts/vectors/values.py`."""

MARKS = "e\u0301"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
MIB = 1 << 20


def text(**keywords):
    return {"type": "string"} | keywords


def maybe(kind, **keywords):
    return {"type": [kind, "null"], "default": None} | keywords


def patterns(**fields):
    return {name: maybe("string", pattern=pattern) for name, pattern in fields.items()}


def collection(name, properties, **keywords):
    roles = dict.fromkeys(("create", "update", "delete"), "VIEWER")
    return {"$schema": "urn:tidemark:meta-schema", "title": name, "type": "object", "x-uploadable": True,
            "x-roles": roles, "properties": properties} | keywords


SHAPE = {"type": "object", "required": ["from", "to"], "properties": {
    "from": text(format="date"), "to": text(format="date"), "note": text(maxLength=3),
    "inner": {"type": "object", "required": ["x"], "properties": {"x": {"type": "integer", "maximum": 9}}}}}

COLLECTIONS = [
    collection("projects", {"name": text(maxLength=255), "start_date": text(format="date")}, required=["name",
            "start_date"], **{
        "x-scope": "project", "x-uploadable": False, "x-uploadable-user-wide": False,
        "x-roles": {"create": "ANYONE", "update": "ADMIN", "delete": "OWNER"}}),
    collection("memberships", {"user": {"type": "integer"}, "role": {"type": "integer"}}, required=["user", "role"],
            **{
        "x-scope": "membership", "x-uploadable": False,
        "x-roles": {"create": "ADMIN", "update": "ADMIN", "delete": "VIEWER"}}),
    collection("texts", {
        "short": text(maxLength=3, default=""),
        "plain": maybe("string"),
        "firm": text(default=""),
        "word": text(enum=["OPEN", "CLOSED", "\u00e9", "a\"b\\\n\u0001\u2028/"], default="OPEN"),
        "choice": maybe("string", enum=["A", "B"]),
        "none": text(maxLength=0, default=""),
    }),
    collection("numbers", {
        "count": {"type": "integer", "minimum": 1, "maximum": 5, "default": 1},
        "whole": maybe("integer"),
        "large": maybe("integer", minimum=-9007199254740992, maximum=9007199254740992),
        "above": maybe("integer", exclusiveMinimum=0),
        "between": maybe("integer", minimum=0.5, maximum=2.5),
        "hours": {"type": "number", "exclusiveMinimum": 0, "maximum": 24, "default": 8},
        "tiny": maybe("number", minimum=0.00001, maximum=1e20),
        "least": maybe("number", minimum=-1e-7, exclusiveMinimum=-2.5),
        "grade": maybe("integer", enum=[1, 2, 100]),
        "step": maybe("number", enum=[0.5, 1, 2.25, 1e21, 0.0000015]),
        "flag": {"type": "boolean", "default": False},
        "sure": maybe("boolean", enum=[True]),
    }),
    collection("times", {
        "day": maybe("string", format="date"),
        "instant": maybe("string", format="date-time"),
        "clock": maybe("string", format="time"),
        "zone": text(format="iana-timezone", maxLength=64, default="UTC"),
        "feast": maybe("string", format="date", enum=["2026-01-01", "2026-12-25"]),
        "mark": maybe("string", format="date-time", enum=["2026-01-01T00:00:00Z"]),
        "year": maybe("string", format="date", pattern="2026-.*"),
    }),
    collection("blobs", {
        "digest": maybe("string", format="blob"),
        "bytes": maybe("string", format="byte"),
        "signature": maybe("string", format="byte", maxLength=8),
    }),
    collection("patterns", {
        "url": text(maxLength=2048, pattern="^https?://[^\\s]+$", default="http://a"),
        "rank": maybe("string", maxLength=128, pattern="[0-9A-Za-z]*[1-9A-Za-z]"),
        **patterns(
            hostile="(a*)*b", nested="((a+)+)+", alternatives="(a|aa)*c", stars="(.*)(.*)(.*)x", lazy="(?:x|y)+?z??",
            counted="a{2,3}b{2}c{1,}", dot=".", line="a.b", words="\\w+\\s\\W\\d\\D\\S", space="\\s*",
            edge=".*\\bfoo\\b.*",
            inside=".*\\Boo\\B.*", ends="^(^a|b$)$", empty="", nothing="[]", anything="[^]*",
            emoji="[\U0001f600-\U0001f60e]{1,2}",
            escaped="\\u{1F600}\\uD83D\\uDE00\\u00e9\\x41\\t\\cJ\\/\\.", dash="[a\\-z][+-][\\b]?",
            negated="[^a-z\\d]+",
            letters="\\p{L}+", upper="\\p{Lu}\\P{Lu}", marks="(\\p{L}\\p{M}*)+", numbers="[\\p{N}\\p{P}\\P{L}]+",
            named="(?<first>a)|b|", symbols="[\\p{So}\\p{Cf}]+", unassigned="\\p{Cn}", control="\\p{Cc}+|\\p{Co}",
            padded="(a?){0,80}b")
    }),
    collection("lists", {
        "tags": {"type": "array", "items": text(maxLength=3), "maxItems": 3, "uniqueItems": True, "default": []},
        "free": maybe("array"),
        "single": maybe("array", uniqueItems=True),
        "levels": maybe("array", items={"type": "array", "items": {"type": ["integer", "null"], "minimum": 0}}),
        "days": maybe("array", uniqueItems=True, items=text(format="date-time")),
        "words": maybe("array", items=text(enum=["A", "B"])),
        "codes": maybe("array", items=text(pattern="(a*)*b")),
        "shapes": {"type": "array", "default": [], "items": SHAPE},
        "pair": maybe("array", enum=[[1, 2], ["a"]]),
    }),
    collection("objects", {
        "free": maybe("object"),
        "open": {"type": "object", "default": {}, "required": ["a/b"]} | {"default": {"a/b": 1}},
        "shape": maybe("object", **{name: SHAPE[name] for name in ("required", "properties")}),
        "known": maybe("object", enum=[{"b": 1, "a": [True, None, "x"]}]),
    }),
    collection("owned", {
        "title": text(maxLength=10),
        "kind": {"type": ["string", "null"], "enum": ["A", "B"]},
        "project": text(readOnly=True, **{"x-value": "project"}),
        "maker": {"type": "integer", "readOnly": True, "x-value": "caller"},
        "fixed": text(readOnly=True, default="as it is"),
        "locked": maybe("integer", readOnly=True),
        "gone": maybe("string", **{"x-removed": True}),
    }, required=["title", "kind", "gone"]),
    collection("links", {
        "parent": maybe("string", **{"x-ref": {"collection": "links", "on-delete": "clear"}}),
        "short": maybe("string", maxLength=3, **{"x-ref": {"collection": "texts", "on-delete": "clear"}}),
        "others": {"type": "array", "items": text(), "default": [], "x-ref": {"collection": "links",
                "on-delete": "clear"}},
        "few": {"type": "array", "items": text(), "maxItems": 1, "default": [], "x-ref": {"collection": "links",
                "on-delete": "clear"}},
        "user": maybe("integer", **{"x-user": {"on-leave": "clear"}}),
        "users": {"type": "array", "items": {"type": "integer"}, "maxItems": 2, "default": [],
                "x-user": {"on-leave": "clear"}},
    }),
]

# To which `stored` and `sent` of links refer.
TARGET = "there"


def nested(depth, leaf=1):
    """Lists in lists, `depth` levels of them."""
    return leaf if depth == 0 else [nested(depth - 1, leaf)]


def members(depth, leaf=1):
    return leaf if depth == 0 else {"a": members(depth - 1, leaf)}


# New rows: collection, field, values. Each value is a case of its own.
NEW = [
    ("texts", "short", ["", "abc", "abcd", FAMILY[:3], FAMILY, MARKS + "a", MARKS + "ab", "\U0001f600" * 3,
            "\U0001f600" * 4,
                        "\0", "a\0b", "abc\0", None, 1, True, [], {}]),
    ("texts", "plain", [None, "", "\0", "x" * MIB, "x" * (MIB + 1), "\u00e9" * (MIB // 2), "\u00e9" * (MIB // 2 + 1),
                        "\U0001f600" * (MIB // 4), "\U0001f600" * (MIB // 4 + 1),
        "\u20ac" * (MIB // 3), "\u20ac" * (MIB // 3 + 1), 0, False]),
    ("texts", "firm", ["", None, 7]),
    ("texts", "word", ["CLOSED", "open", "", "\u00e9", MARKS, "a\"b\\\n\u0001\u2028/", None, 1, "\0"]),
    ("texts", "choice", ["A", "C", None, "", ["A"]]),
    ("texts", "none", ["", "a"]),
    ("numbers", "count", [0, 1, 5, 6, -1, 1.5, "1", None, True, 4.0, 1e30]),
    ("numbers", "whole", [0, -9007199254740991, 9007199254740991, 2 ** 62, 1e19, -1e19, 1e300, 0.5, None, "0",
            False]),
    ("numbers", "large", [9007199254740992, -9007199254740992, 9007199254740994, -9007199254740994]),
    ("numbers", "above", [0, 1, -1]),
    ("numbers", "between", [0, 1, 2, 3]),
    ("numbers", "hours", [0, 5e-324, 24, 24.000000000000004, -1, 8, None, "8"]),
    ("numbers", "tiny", [0.00001, 0.000009, 1e20, 1.5e20, 1e300, None]),
    ("numbers", "least", [-1e-7, -1e-6, -2.5, -3, 0]),
    ("numbers", "grade", [1, 100, 3, None, 1.5, "1"]),
    ("numbers", "step", [0.5, 1, 1e21, 0.0000015, 2, None]),
    ("numbers", "flag", [True, False, 0, 1, "true", None]),
    ("numbers", "sure", [True, False, None]),
    ("times", "day", ["2026-01-05", "2024-02-29", "2026-02-29", "2100-02-29", "2000-02-29", "2026-13-01",
            "2026-00-10",
                      "2026-04-31", "2026-1-5", "0001-01-01", "0000-01-01", "9999-12-31", "10000-01-01",
                      "2026-01-05T00:00:00Z",
                      " 2026-01-05", "\u0662026-01-05", "2026\u201001-05", "+026-01-05", "", None, 20260105]),
    ("times", "instant", ["2026-01-05T10:00:00Z", "2026-01-05t10:00:00z", "2026-01-05 10:00:00Z",
            "2026-01-05T10:00:00.123456Z",
                          "2026-01-05T10:00:00.Z", "2026-01-05T10:00:00,5Z", "2026-01-05T10:00:00+02:00",
                          "2026-01-05T10:00:00-23:59",
                          "2026-01-05T10:00:00+24:00", "2026-01-05T10:00:00+0200", "2026-01-05T10:00:00",
                          "2026-01-05T10:00Z",
                          "2026-01-05", "2026-01-05T24:00:00Z", "2026-01-05T10:60:00Z", "2026-01-05T10:00:60Z",
                          "2016-12-31T23:59:60Z", "2017-01-01T00:59:60+01:00", "2016-12-30T23:59:60Z",
                          "2016-12-31T23:59:60.5Z",
                          "2016-12-31T23:59:61Z", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+00:01",
                          "9999-12-31T23:59:59.999Z",
                          "9999-12-31T23:59:59-00:01", "9999-12-31T23:59:60Z", "2026-02-30T10:00:00Z",
                          "2026-01-05X10:00:00Z",
                          "2026-01-05T10:00:00Z ", "", None, 1767607200000, "\U0001f600"]),
    ("times", "clock", ["10:00:00", "23:59:59", "24:00:00", "10:60:00", "10:00:60", "10:00", "1:00:00", "10:00:00Z",
            "\u0661\u0660:00:00", "", None]),
    ("times", "zone", ["UTC", "Europe/Berlin", "America/Argentina/ComodRivadavia", "Etc/GMT+12", "GMT0", "W-SU",
            "America/Port-au-Prince"]),
    # The form of these can't be a name of a zone.
    ("times", "zone", ["", " UTC", "UTC\n", "Europe / Berlin", "Europe//Berlin", "/Europe/Berlin", "Europe/Berlin/",
            "Z\u00fcrich",
                       "+02:00", "../UTC", "Europe/Berlin?", None, 1, "x" * 65]),
    # These could be names of a later release.
    ("times", "zone", ["Europe/Atlantis", "utc", "europe/berlin", "UTC+2", "Factory", "CEST"]),
    ("times", "feast", ["2026-01-01", "2026-01-02", "never"]),
    ("times", "mark", ["2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.001Z"]),
    ("times", "year", ["2026-01-05", "2027-01-05", "2026-13-05"]),
    ("blobs", "digest", ["0" * 64, "0123456789abcdef" * 4, "A" * 64, "g" * 64, "0" * 63, "0" * 65, "\u0660" * 64, "",
            None, 0]),
    ("blobs", "bytes", ["", "AA==", "AB==", "AAA=", "AAB=", "AAAA", "AA", "AAA", "A===", "AA=A", "AA==AA==", "-_-_",
            "+/+/", "AAAA\n", " AAAA", "AA AA", "\u00e4AAA", "A" * 87_380 + "AAAA", "A" * 87_380 + "AA==",
            "A" * 87_384 + "AAAA", None, 1]),
    ("blobs", "signature", ["AAAAAAA=", "AAAAAAAAAAA="]),
    ("patterns", "url", ["https://a", "http://a b", "ftp://a", "http://\u00a0", "http://\u00e4\U0001f600",
            "xhttp://a", "http://a\n",
                         "http://" + "a" * 2041, "http://" + "a" * 2042]),
    ("patterns", "rank", ["V", "0001", "0", "", "A-B", "z" * 128, "z" * 129, "a" * 127 + "0"]),
    ("patterns", "hostile", ["b", "aaab", "a" * 27, "a" * 4095 + "b", "a" * 4096, "a" * 4097, "c" * 4097]),
    ("patterns", "nested", ["a" * 4096, "a" * 4095 + "b", ""]),
    ("patterns", "alternatives", ["aaac", "c", "a" * 40, "a" * 4095 + "c"]),
    ("patterns", "stars", ["x", "aaax", "a" * 4096, "\n"]),
    ("patterns", "lazy", ["xyxy", "xz", "xzz", "z"]),
    ("patterns", "counted", ["aabbc", "aaabbccc", "abbc", "aaaabbc", "aabb", "aabbbc"]),
    ("patterns", "dot", ["a", "\U0001f600", "\u00e9", MARKS, "\n", "\r", "\u2028", "\u2029", "\u0085", "", "ab",
            "\u000b"]),
    ("patterns", "line", ["axb", "a\nb"]),
    ("patterns", "words", ["a_1 -1ax", "a\u00a0.1xy", "\u00e9 -1ax", "a -\u0661ax", "a\u3000!0_\U0001f600",
            "a\u200b!0__"]),
    ("patterns", "space", [" \t\n\u000b\f\r\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff", "\u180e",
            "\u0085", "\u200b"]),
    ("patterns", "edge", ["foo", "a foo b", "afoo", "foo_", "\u00e9foo\u00e9", "\U0001f600foo"]),
    ("patterns", "inside", ["foot", "oo", "boo", "\u00e9oo\u00e9"]),
    ("patterns", "ends", ["a", "b", "ab", "a\n"]),
    ("patterns", "empty", ["", "a"]),
    ("patterns", "nothing", ["", "a"]),
    ("patterns", "anything", ["", "\n\U0001f600\u0301", "\ufffd\uffff\U0010ffff"]),
    ("patterns", "emoji", ["\U0001f600", "\U0001f601\U0001f60e", "\U0001f60f", "\u263a", "\U0001f600" * 3]),
    ("patterns", "escaped", ["\U0001f600\U0001f600\u00e9A\t\n/.", "\U0001f600\u00e9A\t\n/.",
            "\U0001f600\U0001f600" + MARKS + "A\t\n/."]),
    ("patterns", "dash", ["a+", "--\b", "z-", "b+", "a,"]),
    ("patterns", "negated", ["ABC", "\U0001f600\u00e9", "a", "1", "A1"]),
    ("patterns", "letters", ["abc", "\u00e9\u0416\u4e2d\u0e01", "\u01c5\u02b0", "a1", MARKS, "\U0001d400", "\u2160",
            ""]),
    ("patterns", "upper", ["Ab", "\u00c4\u00e4", "aB", "AB", "\U00010400\U00010428"]),
    ("patterns", "marks", [MARKS, MARKS * 3, "\u0301", "e\u0301\u0302", "\u0e01\u0e33\u0e48"]),
    ("patterns", "numbers", ["1\u00bd\u2167", "!?\u2014", "a", " ", "1a"]),
    ("patterns", "named", ["a", "b", "", "c"]),
    ("patterns", "symbols", ["\u00a9", FAMILY, "\u200d", "a", "\U0001f600\ufe0f"]),
    ("patterns", "unassigned", ["\u0378", "a", "\ufffe"]),
    ("patterns", "control", ["\u0007\u0085", "\ue000", "\U000f0000", "a", "\u00ad"]),
    ("patterns", "padded", ["a" * 80 + "b", "a" * 81 + "b", "b", "c"]),
    ("lists", "tags", [[], ["a", "b", "c"], ["a", "b", "c", "d"], ["a", "a"], ["abcd"], ["a", None], ["a", 1], "a",
            None, {},
                       ["\u00e9", MARKS], ["a", "b\0"], ["a", "b", "b", "cccc"]]),
    ("lists", "free", [None, [], [1, "a", None, {"a": [True]}], nested(24), nested(25), [{}] * 3, [nested(23, {})],
            [nested(22, {})],
                       ["x" * (MIB + 1)], [["a\0"]], [{"a\0": 1}], [{"a": "\0"}]]),
    ("lists", "single", [[1, 1.5, 2], [1, 1], [1, "1", True], [[1], [1]], [{"a": 1, "b": 2}, {"b": 2, "a": 1}], [{},
            []], ["\u00e9", MARKS],
                         [None, None], [0, False], [{"a": [{}]}, {"a": [[]]}]]),
    ("lists", "levels", [[[1, None], []], [[1], [2, -1]], [[1, 2.5]], [None], [1], [["a"]]]),
    ("lists", "days", [["2026-01-05T10:00:00Z", "2026-01-05T11:00:00Z"], ["2026-01-05T10:00:00Z",
            "2026-01-05T11:00:00+01:00"], ["2026-01-05"]]),
    ("lists", "words", [["A", "B", "A"], ["A", "C"]]),
    ("lists", "codes", [["b", "ab"], ["b", "a" * 27]]),
    ("lists", "shapes", [[{"from": "2026-01-05", "to": "2026-01-06"}], [{"from": "2026-01-05"}],
            [{"from": "2026-01-05", "to": "now"}],
                         [{"from": "2026-01-05", "to": "2026-01-06", "more": "\0"}], ["x"], [None], [{"from": None,
                                 "to": "2026-01-06"}],
                         [{"from": "2026-01-05", "to": "2026-01-06"}, {"from": "2026-01-05", "to": "2026-01-06",
                                 "note": "long"}],
                         [{"from": "2026-01-05", "to": "2026-01-06", "inner": {"x": 10}}]]),
    ("lists", "pair", [[1, 2], [2, 1], ["a"], [], [1.0, 2.0]]),
    ("objects", "free", [None, {}, {"a": {"b": [1]}}, members(24), members(25), [], "{}", {"a": "\0"}, {"\0": 1},
            {"a": "x" * (MIB + 1)}, {"__proto__": 1, "constructor": 2}]),
    ("objects", "open", [{"a/b": None}, {}, {"a~b": 1}, None]),
    ("objects", "shape", [{"from": "2026-01-05", "to": "2026-01-06"}, {"to": "2026-01-06"}, {},
            {"from": "2026-01-05", "to": 1},
                          {"from": "2026-01-05", "to": "2026-01-06", "inner": {}}, {"from": "2026-01-05",
                                  "to": "2026-01-06", "inner": {"x": "1"}},
                          {"from": "2026-01-05", "to": "2026-01-06", "note": "abcd"}, {"from": "2026-01-05",
                                  "to": "2026-01-06", "note": None}, []]),
    ("objects", "known", [{"a": [True, None, "x"], "b": 1}, {"a": [True, None, "x"]}, {"a": [True, "x", None],
            "b": 1}]),
    ("links", "parent", [None, TARGET, "", "-a", "a b", "a" * 65, "\u00e4", 1]),
    ("links", "short", ["abcd", "-a"]),
    ("links", "others", [[], [TARGET], [TARGET, TARGET], [TARGET, ""], [None], [1], "a", None,
            [str(each) for each in range(1001)]]),
    ("links", "few", [[TARGET], ["a", "b"]]),
    ("links", "user", [None, 1, "1", 1.5, True]),
    ("links", "users", [[], [1], [1, 1], [1, 2, 3], ["1"], [1.5], [None], 1, None]),
]

# New rows of several fields.
ROWS = [
    ("owned", "as required", {"title": "a", "kind": None}),
    ("owned", "nothing", {}),
    ("owned", "one of two", {"title": "a"}),
    ("owned", "null where text is required", {"title": None, "kind": "A"}),
    ("owned", "required and wrong", {"title": "a" * 11, "kind": "C"}),
    ("owned", "fields of the server", {"title": "a", "kind": "A", "project": "x", "maker": 7, "fixed": "as it is",
            "locked": None}),
    ("owned", "an unknown field", {"title": "a", "kind": "A", "colour": "red"}),
    ("owned", "unknown fields with odd names", {"title": "a", "kind": "A", "a/b~c": 1, "": 2, "Title": 3,
            "\u00e9": 4, "__proto__": 5}),
    ("owned", "a removed field", {"title": "a", "kind": "A", "gone": "x"}),
    ("owned", "the version", {"title": "a", "kind": "A", "server_version": 1}),
    ("owned", "the names of the project and of the base", {"title": "a", "kind": "A", "project_id": "p",
            "base_version": 1}),
    ("owned", "everything at once", {"kind": 1, "project": "x", "colour": "red", "server_version": 1}),
    ("texts", "two mistakes", {"word": "NO", "short": "long", "plain": 1}),
    ("texts", "nothing at all", {}),
]

# Updates: what is stored, by rules that are laxer, and what is sent.
EDITS = [
    ("texts", "a text that is no longer valid stays", {"short": "longer"}, {"short": "longer", "word": "CLOSED"}),
    ("texts", "a text that is too long becomes shorter, but not short enough", {"short": "longer"},
     {"short": "long"}),
    ("texts", "a text that is too long becomes short enough", {"short": "longer"}, {"short": "lon"}),
    ("texts", "a word that is no longer listed stays", {"word": "OLD"}, {"word": "OLD"}),
    ("texts", "a word that is not listed, after another", {"word": "OLD"}, {"word": "OLDER"}),
    ("texts", "null for a text", {}, {"short": None}),
    ("texts", "null for a text that may be null", {"plain": "a"}, {"plain": None}),
    ("texts", "composed is not decomposed", {"short": "\u00e9\u00e9"}, {"short": MARKS * 2}),
    ("texts", "a text above 1 MiB stays", {"plain": "x" * (MIB + 9)}, {"plain": "x" * (MIB + 9), "short": "a"}),
    ("texts", "a text above 1 MiB becomes shorter", {"plain": "x" * (MIB + 9)}, {"plain": "x" * (MIB + 8)}),
    ("texts", "a text above 1 MiB becomes as long", {"plain": "x" * (MIB + 9)}, {"plain": "y" * (MIB + 9)}),
    ("texts", "a text above 1 MiB becomes longer", {"plain": "x" * (MIB + 9)}, {"plain": "x" * (MIB + 10)}),
    ("texts", "a text above 1 MiB becomes shorter in bytes", {"plain": "x" * (MIB + 9)},
     {"plain": "\u00e9" * (MIB // 2 + 4)}),
    ("texts", "a text above 1 MiB becomes shorter, with U+0000", {"plain": "x" * (MIB + 9)},
     {"plain": "\0" * (MIB + 8)}),
    ("numbers", "a number out of range stays", {"count": 9}, {"count": 9}),
    ("numbers", "a number out of range comes nearer", {"count": 9}, {"count": 8}),
    ("numbers", "a whole number as it is", {"hours": 3}, {"hours": 3.0}),
    ("numbers", "null for a flag", {}, {"flag": None}),
    ("times", "another writing of the same instant", {"mark": "2026-05-01T10:00:00Z"},
     {"mark": "2026-05-01T10:00:00.000Z"}),
    ("times", "the same instant, that is not listed, in another form", {"mark": "2026-05-01T10:00:00Z"},
     {"mark": "2026-05-01T12:00:00+02:00"}),
    ("patterns", "a text that no longer matches stays", {"hostile": "a" * 27}, {"hostile": "a" * 27}),
    ("patterns", "a text that does not match, after another", {"hostile": "a" * 27}, {"hostile": "a" * 26}),
    ("lists", "a list with too many elements stays", {"tags": ["a", "b", "c", "d"]}, {"tags": ["a", "b", "c", "d"]}),
    ("lists", "a list with too many elements, in another order", {"tags": ["a", "b", "c", "d"]}, {"tags": ["d", "c",
            "b", "a"]}),
    ("lists", "an element that is too long, beside a new one", {"tags": ["long"]}, {"tags": ["long", "a"]}),
    ("objects", "members in another order", {"known": {"z": 1, "y": 2}}, {"known": {"y": 2, "z": 1}}),
    ("objects", "another member", {"known": {"z": 1, "y": 2}}, {"known": {"z": 1}}),
    ("owned", "fields that are required may be missing", {"title": "a", "kind": "A"}, {"kind": "B"}),
    ("owned", "a required field becomes null", {"title": "a", "kind": "A"}, {"title": None}),
    ("owned", "a required field that may be null", {"title": "a", "kind": "A"}, {"kind": None}),
    ("owned", "a field of the server with its own value", {"title": "a", "kind": "A"}, {"fixed": "as it is"}),
    ("owned", "a field of the server", {"title": "a", "kind": "A"}, {"maker": 2, "locked": 1}),
    ("owned", "id and version", {"title": "a", "kind": "A"}, {"id": "other", "server_version": 1}),
    ("owned", "an unknown field and a wrong one", {"title": "a", "kind": "A"}, {"colour": 1, "title": 2}),
    ("owned", "nothing", {"title": "a", "kind": "A"}, {}),
    ("links", "a reference that can't be an id", {"parent": None}, {"parent": "a/b"}),
]

# Values with half a surrogate pair, which only JavaScript can have.
HALVES = [
    ("texts", "cut within an emoji", {"short": "a\ud83d"}),
    ("texts", "the second half", {"plain": "\ude00a"}),
    ("texts", "halves in the wrong order", {"plain": "\ude00\ud83d"}),
    ("texts", "a half beside another mistake", {"short": "longer", "plain": "\ud83d", "colour": 1}),
    ("lists", "in a list", {"free": ["a", {"b": ["\ud83d"]}]}),
    ("lists", "in an element", {"tags": ["a", "\ud83d"]}),
    ("objects", "in the name of a member", {"free": {"\ud83d": 1}}),
    ("objects", "in a member that is dropped", {"shape": {"from": "2026-01-05", "to": "2026-01-06",
            "more": "\ud83d"}}),
    ("texts", "in two fields", {"plain": "\ud83d", "firm": "\ud83d"}),
]
