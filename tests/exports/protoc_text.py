# SPDX-License-Identifier: GPL-2.0
"""Messages as protoc prints them."""


def message(lines):
    """A message of protoc's text as a dictionary; each field has a list. @lines: an iterator."""
    fields = {}
    for line in lines:
        name, _, value = line.strip().partition(" ")
        if name == "}":
            break
        if value == "{":
            fields.setdefault(name, []).append(message(lines))
        else:
            value = value.removeprefix("'").removesuffix("'") if value[:1] == "'" else value
            fields.setdefault(name.rstrip(":"), []).append(value)
    return fields
