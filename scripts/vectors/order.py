#!/usr/bin/env -S python3 -B
"""Writes Tests/Vectors/order.json: keys of tasks, orders of siblings, and ranks of a file's rows.

  scripts/vectors/order.py           write it
  scripts/vectors/order.py --check   exit with 1 if it is out of date

The orders are found in another way than by keys: by comparing ranks, lists of numbers, and short ids.
"""

import json
import pathlib
import random
import re
import sys

VECTORS = pathlib.Path(__file__).resolve().parents[2] / "Tests/Vectors/order.json"
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
RANK = re.compile(r"[0-9A-Za-z]{0,127}[1-9A-Za-z]")
SHORT_ID = re.compile(r"[0-9A-Za-z]{1,8}")

# Rows by hand: rank, wbs_path, short_id.
ROWS = [
    ("V", "1", "00000001"), ("z" * 128, None, None), ("1", None, None), ("Wz", None, None),
    ("0001", "2", None), ("a0B", "2", None),
    ("", "1", "00000001"), ("0", "1", "00000001"), ("A0", None, "00000001"), ("A-B", None, "00000001"),
    ("ä", None, "00000001"), ("A" * 129, None, "00000001"), (7, None, "00000001"),
    (None, "1", "00000001"), (None, "1", None), (None, "1.2.3", "0000000A"), (None, "1.10", "0000000A"),
    (None, "A.1 - 2", "0000000A"), (None, "PH2-03", "0000000A"), (None, "007", "0000000A"), (None, "000", "0000000A"),
    (None, "1..2.", "0000000A"), (None, "٣", "0000000A"), (None, "９", "0000000A"), (None, "A", "0000000A"),
    (None, "", "0000000A"), (None, " ", "0000000A"),
    (None, "123456789", "0000000A"), (None, "1234567890", "0000000A"), (None, "9" * 18, "0000000A"),
    (None, "1" + "0" * 18, "0000000A"), (None, "9" * 255, "0000000A"), (None, ".".join("1" * 128), "0000000A"),
    (None, None, "0000000A"), (None, None, "7FFFFFFF"), (None, None, "A1"), (None, None, "a1"),
    (None, None, "000000100"), (None, None, "A-1"), (None, None, ""), (None, None, None),
]

# Places in a file, from 0 on, also those where a rank becomes longer.
PLACES = [0, 1, 59, 60, 61, 62, 121, 122, 1000, 3781, 3782, 3783, 10000, 234483, 234484, 234485, 999999]


def main():
    if {"-h", "--help"} & set(sys.argv):
        return print(__doc__)
    text = written(vectors())
    if "--check" in sys.argv:
        if not VECTORS.exists() or VECTORS.read_text(encoding="utf-8") != text:
            sys.exit(f"{VECTORS} is out of date. Run scripts/vectors/order.py.")
    else:
        VECTORS.write_text(text, encoding="utf-8")


def vectors():
    numbers = random.Random("order")
    return {
        "about": "Made by scripts/vectors/order.py. An order lists rows from the first to the last.",
        "keys": [{"row": row, "key": key(row)} for row in map(named, ROWS)],
        "orders": [sorted(rows(numbers), key=place) for _ in range(20)],
        "ranks": [{"place": place, "rank": rank(place)} for place in PLACES],
    }


def written(vectors):
    """JSON with a row on each line, so that a change can be read."""
    def lines(values):
        return ",\n".join(json.dumps(each, ensure_ascii=False) for each in values)

    orders = "],\n[".join(map(lines, vectors["orders"]))
    return (
        f'{{"about": {json.dumps(vectors["about"])},\n"keys": [\n{lines(vectors["keys"])}],\n'
        f'"orders": [[\n{orders}]],\n"ranks": [\n{lines(vectors["ranks"])}]}}\n')


def named(values):
    return dict(zip(("rank", "wbs_path", "short_id"), values))


def key(row):
    if is_text(row["rank"], RANK):
        return row["rank"]
    found = re.findall(r"[0-9]+", row["wbs_path"] or "")
    born = row["short_id"].ljust(8, "0") + "1" if is_text(row["short_id"], SHORT_ID) else None
    if not found:
        return "X" + born if born else "Y1"
    return "W" + "".join(map(number, found)) + ("A" + born if born else "B1")


def number(digits):
    plain = str(int(digits))
    nines, rest = divmod(len(plain) - 1, 9)
    return "j" * nines + "abcdefghi"[rest] + plain


def is_text(value, pattern):
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def rank(index):
    """The rank of a file's row: how many digits its place has, then they, the last of which is never 0."""
    rest, last = divmod(index, 61)
    head = ""
    while rest:
        rest, digit = divmod(rest, 62)
        head = DIGITS[digit] + head
    return "H" + DIGITS[36 + len(head)] + head + DIGITS[1 + last]


def rows(numbers):
    def code():
        return ".".join(str(int(numbers.random() ** 3 * 1200)) for _ in range(numbers.randint(1, 3)))

    def new_rank():
        return "".join(numbers.choices("0123ABUVaz", k=numbers.randint(0, 4)))

    ranks = [DIGITS[numbers.randint(0, 31)] + new_rank() + numbers.choice("1Vz") for _ in range(3)]
    return [
        {
            "id": f"t{numbers.randint(0, 999)}-{place}",
            "rank": numbers.choice(ranks) if numbers.random() < 0.4 else None,
            "wbs_path": numbers.choice([code(), "A." + code(), "A", ""]) if numbers.random() < 0.5 else None,
            "short_id": f"{numbers.randint(1, 40):08X}" if numbers.random() < 0.8 else None,
        }
        for place in range(16)
    ]


def place(row):
    """Rows with a rank, then those with numbers, then those with a short id, then the rest. Equals by id."""
    found = [int(each) for each in re.findall(r"[0-9]+", row["wbs_path"] or "")]
    born = (row["short_id"] is None, row["short_id"] or "")
    if row["rank"]:
        return 0, row["rank"], row["id"]
    return (1, found, born, row["id"]) if found else (2, born, row["id"])


if __name__ == "__main__":
    main()
