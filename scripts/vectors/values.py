#!/usr/bin/env -S python3 -B
"""Writes Tests/Vectors/values.json: rows with what the server says of their values, which the clients have to say too.

  scripts/vectors/values.py           write it
  scripts/vectors/values.py --check   exit with 1 if it is out of date

Asks the binary $TIDEMARK, or .build/release/tidemark. The collections and rows are in value_cases.py. Rows that are
updated were stored by laxer rules, as an older version of an app would have stored them.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from harness import tidemark
from harness.server import Server
from harness.temporary import TEMP
from vectors import value_cases as cases

VECTORS = ROOT / "Tests/Vectors/values.json"
ABOUT = (
    "Made by scripts/vectors/values.py from the server's answers to POST (stored is null) and PATCH. "
    "{\"repeat\": [text, n]} stands for a long text, {\"units\": [...]} for one of these UTF-16 units. "
    "Cases whose name ends in 'by list' are refused because the server's list of time zones lacks the name.")
# What a row's own values can be refused for.
CODES = {
    "unknown_field", "read_only_field", "required", "wrong_type", "not_in_enum", "out_of_range", "too_long",
    "bad_format", "inconsistent", "invalid_id"}
# What could be the name of a time zone.
ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*")
LAX = ("enum", "minimum", "maximum", "exclusiveMinimum", "maxLength", "pattern", "maxItems", "uniqueItems", "x-ref")


def main():
    if {"-h", "--help"} & set(sys.argv):
        return print(__doc__)
    text = written(vectors())
    if "--check" not in sys.argv:
        VECTORS.write_text(text, encoding="utf-8")
    elif not VECTORS.exists() or VECTORS.read_text(encoding="utf-8") != text:
        sys.exit("Tests/Vectors/values.json is not what scripts/vectors/values.py writes. Run it.")


def vectors():
    database, strict = TEMP / "values.db", folder("strict", cases.COLLECTIONS)
    token = stored_before(database)
    with Server(database, options=["--schemas", strict]) as server:
        judge = Judge(server, token)
        documents = server.get("/api/v1/schemas/", token).json["collections"]
        halves = [judge.made(f"{name}: {what}", name, sent) for name, what, sent in cases.HALVES]
        rows = [*judge.new_rows(), *judge.edits()]
        return {"about": ABOUT, "collections": documents, "cases": rows, "halves": halves}


def folder(name, collections):
    path = TEMP / name
    path.mkdir()
    for document in collections:
        (path / f"{document['title']}.json").write_text(json.dumps(document))
    return path


def stored_before(database):
    """Stores the rows that are updated, and the row that others refer to, by laxer rules. No request can bring a text
    above 1 MiB, so an export of them is changed and imported. Returns a token."""
    schemas, source = folder("lax", [laxer(each) for each in cases.COLLECTIONS]), TEMP / "source.db"
    token, new_token = (user(each, schemas) for each in (source, database))
    with Server(source, options=["--schemas", schemas]) as server:
        made = server.request(
            "POST", "/api/v1/projects/", token, {"id": "p", "name": "Values", "start_date": "2026-01-05"})
        required(made, 201)
        for name, id, row in stored_rows():
            short = {field: None if is_long(value) else value for field, value in row.items()}
            required(server.request("POST", f"/api/v1/projects/p/{name}/", token, {"id": id, **short}), 201)
    export = json.loads(tidemark.output("export", "p", "--schemas", schemas, database=source))
    file = TEMP / "export.json"
    file.write_text(json.dumps(lengthened(export)))
    tidemark.output("import", file, "--owner", "owner", "--add-members", "--schemas", schemas, database=database)
    return new_token


def user(database, schemas):
    tidemark.output("user", "add", "owner", "--schemas", schemas, database=database)
    return tidemark.output("token", "create", "--user", "owner", "--schemas", schemas, database=database)


def stored_rows():
    yield "links", cases.TARGET, {}
    for number, (name, _, stored, _) in enumerate(cases.EDITS):
        yield name, f"edited-{number}", stored


def lengthened(export):
    long = {id: {field: value for field, value in row.items() if is_long(value)} for _, id, row in stored_rows()}

    def walk(value):
        if isinstance(value, list):
            return [walk(each) for each in value]
        if isinstance(value, dict):
            return {name: walk(each) for name, each in value.items()} | long.get(value.get("id"), {})
        return value

    return walk(export)


def is_long(value):
    return isinstance(value, str) and len(value.encode()) > cases.MIB


def laxer(document):
    """The document without what limits its values."""
    if "x-scope" in document:
        return document
    return document | {"properties": {name: lax(field) for name, field in document["properties"].items()}}


def lax(value):
    if "x-user" in value and "items" in value:
        return value | {"maxItems": 50}
    value = {keyword: each for keyword, each in value.items() if keyword not in LAX}
    return value | ({"items": lax(value["items"])} if "items" in value else {})


def required(answer, status):
    if answer.status != status:
        raise RuntimeError(f"{status} was expected: {answer}")
    return answer


class Judge:
    """Sends rows, and notes what the server says."""

    def __init__(self, server, token):
        self.server, self.token, self.count = server, token, 0

    def new_rows(self):
        for name, field, values in cases.NEW:
            for value in values:
                yield self.made(f"{name}.{field}: {shown(value)}", name, {field: value})
        for name, what, sent in cases.ROWS:
            yield self.made(f"{name}: {what}", name, sent)

    def made(self, what, name, sent):
        self.count += 1
        answer = self.send("POST", f"/api/v1/projects/p/{name}/", {"id": f"new-{self.count}"} | sent, 201)
        return case(what, name, None, sent, answer)

    def edits(self):
        for number, (name, what, _, sent) in enumerate(cases.EDITS):
            path = f"/api/v1/{name}/edited-{number}/"
            stored = required(self.server.get(path, self.token), 200).json
            yield case(f"{name}: {what}", name, stored, sent, self.send("PATCH", path, sent, 200))

    def send(self, method, path, sent, success):
        answer = self.server.request(method, path, self.token, sent)
        if answer.status == success:
            return []
        errors = answer.json.get("errors")
        if not errors or any(error["code"] not in CODES for error in errors):
            raise RuntimeError(f"{method} {path} {sent!r:.300}: {answer}")
        return errors


def case(what, name, stored, sent, errors):
    """A case of the file. The fields of an error that say where the row is are left out."""
    errors = [{key: error[key] for key in ("field", "code", "pointer", "detail")} for error in errors]
    if errors and "time zone" in errors[0]["detail"] and ZONE.fullmatch(sent["zone"]):
        what += ", by list"
    return {"name": what, "collection": name, "stored": packed(stored), "sent": packed(sent), "errors": errors}


def shown(value):
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:30]} ({len(text)})"


def packed(value):
    """The value with its long texts in the form of the file."""
    if isinstance(value, dict):
        return {name: packed(each) for name, each in value.items()}
    if isinstance(value, list):
        return [packed(each) for each in value]
    return packed_text(value) if isinstance(value, str) else value


def packed_text(text):
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        units = text.encode("utf-16-le", "surrogatepass")
        return {"units": [int.from_bytes(units[at:at + 2], "little") for at in range(0, len(units), 2)]}
    if len(text) > 200 and text == text[0] * len(text):
        return {"repeat": [text[0], len(text)]}
    return text


def written(vectors):
    """JSON with a case on each line, so that a change can be read."""
    lists = (f"{json.dumps(name)}: [\n{lines(vectors[name])}]" for name in ("collections", "cases", "halves"))
    return f'{{"about": {json.dumps(vectors["about"])},\n' + ",\n".join(lists) + "}\n"


def lines(values):
    return ",\n".join(map(json.dumps, values))


if __name__ == "__main__":
    main()
