# SPDX-License-Identifier: GPL-2.0
"""What waits are for, by the rules of the tree and of a user, and what mending a place can save."""

import json
import os
import tempfile
import zlib

from harness import TOP, equal, expect, has, read, reader, test

# a type of block, see docs/data-format.md
END = 1


def number(value):
    encoded = b""
    while value >= 128:
        encoded += bytes([value & 127 | 128])
        value >>= 7
    return encoded + bytes([value])


def little(*members):
    """Numbers and how many bytes each has."""
    return b"".join(value.to_bytes(size, "little") for value, size in members)


def with_sum(head):
    return head + little((zlib.crc32(head), 4))


def block(kind, items, first, data):
    head = b"GBLK" + little((kind, 4), (first, 8), (items, 4), (len(data), 4), (len(data), 4),
                            (zlib.crc32(data), 4), (0, 4))
    return with_sum(head) + data


def make(path, seed, without=()):
    """The file of a recording that is an input of tests/fuzz/fuzz_data.c, without some types of blocks."""
    with open(os.path.join(TOP, "tests/fuzz/corpus/data", seed + ".bin"), "rb") as file:
        data = file.read()
    made = with_sum(b"GAPPDATA" + little((1, 2), (1, 2)))
    while len(data) >= 8:
        kind, size = data[0], int.from_bytes(data[5:8], "little")
        items, first = (int.from_bytes(data[at:at + 2], "little") for at in (1, 3))
        if kind not in (END, *without):
            made += block(kind, items, first, data[8:8 + size])
        data = data[8 + size:]
    with open(path, "wb") as file:
        file.write(made + block(END, 1, 0, number(len(made))))


def said(folder, *words):
    result = reader("report", "--format", "json", *words, "x.data", cwd=folder)
    equal((result.status, result.err), (0, ""))
    return json.loads(result.out)


def write(folder, text):
    with open(os.path.join(folder, "rules"), "w", encoding="utf-8") as file:
        file.write(text)


@test
def rules_of_a_user_decide():
    with tempfile.TemporaryDirectory() as folder:
        make(os.path.join(folder, "x.data"), "spans")
        first = said(folder)["places"][0]["waiting"]
        equal([(one["wait"], one["name"]) for one in first if one["wait"] == "lock"], [("lock", "mutex")])
        write(folder, "pthread_mutex_lock  libc.so*  queue  shelf of hash tables\n")
        first = said(folder, "--reasons", "rules")["places"][0]["waiting"]
        has([(one["wait"], one["name"]) for one in first], ("queue", "shelf of hash tables"))
        text = reader("report", "--reasons=rules", "x.data", cwd=folder).out
        has(" ".join(text.split()), "waited for a queue or condition (shelf of hash tables)")
        for action in (("export", "-o", "y.json"), ("diff",)):
            files = ("x.data", "x.data") if action[0] == "diff" else ("x.data",)
            equal(reader(*action, "--reasons", "rules", *files, cwd=folder).status, 0)
        first = json.loads(read(os.path.join(folder, "y.json")))["places"][0]["waiting"]
        has([one["name"] for one in first], "shelf of hash tables")


@test
def rules_that_make_no_sense_are_refused():
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "take  *  quark\n")
        path = os.path.join(folder, "rules")
        reader("--reasons", path, "--", "true").is_refusal(2, path + ":1: there is no such wait reason")
        reader("--reasons", path + "x", "--", "true").is_refusal(2, "cannot read " + path + "x")
        write(folder, "take  *  lock\n")
        reader("--reasons", path, "--reasons", path, "--", "true").is_refusal(2, "can be given once")
        reader("script", "--reasons", path, "--", "true").is_refusal(2, "--reasons has no meaning with script")
        reader("--reasons", path, "--level", "stats", "--", "true").is_refusal(2, "it records no call paths")
        equal(reader("--reasons", path, "--no-save", "--", "true").status, 0)


@test
def mending_a_place_saves_so_much():
    with tempfile.TemporaryDirectory() as folder:
        make(os.path.join(folder, "x.data"), "spans")
        whole = said(folder)
        for place in whole["places"]:
            # what has no critical time has no bound
            equal(place["gain_bound_s"] is None, not place["critical_s"])
            expect(not place["critical_s"] or place["critical_s"] <= place["gain_bound_s"] <= whole["wall_s"], place)
        text = reader("report", "-v", "x.data", cwd=folder).out
        has(text, "    mending it saves at most ")
        # a file of an earlier gapp-read has no lengths: shares alone bound the gain
        make(os.path.join(folder, "x.data"), "spans", without=(22,))
        for place, before in zip(said(folder)["places"], whole["places"], strict=True):
            expect((place["gain_bound_s"] or 0) >= (before["gain_bound_s"] or 0), place)
        result = reader("diff", "--format", "json", "--by", "place", "x.data", "x.data", cwd=folder)
        rows = [row for row in json.loads(result.out)["rows"] if row["base_s"]]
        expect(rows and all(row["base_gain_bound_s"] == row["new_gain_bound_s"] > 0 for row in rows), rows)
