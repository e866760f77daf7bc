# SPDX-License-Identifier: GPL-2.0
"""Of the mutator: what it makes of a small source, and what it never touches."""

import tempfile
from pathlib import Path

import points

SOURCE = r'''/* comment 1 == 2; */
#ifndef GUARD_H
#define GUARD_H
#define MACRO(x) ((x) + 11)
struct declared { int member[12]; };
enum { ENUMERATED = 13 };
static const int table[] = { 14, [OTHER] = 15 };
int prototype(int a, char *b);
#if 0
int never(void) { return 16 + 17; }
#endif
int body(int a, struct declared *b) // 18 + 19
{
	char local[20];
	int value = a * 21;
	void *room = calloc(a, b);

	if (a < value && b) /* 22 < 23 */
		call(a, "24 + 25 == 26 /*", '+');
	for (a = 0; a < 3; a++)
		value |= (int)*local;
	for_each(a, b) {
		continue;
	}
	if (!room)
		return -1;
	return value;
}
#endif
'''
WANTED = (
    "constant: -static const int table[] = { 14, [OTHER] = 15 }; "
    "+static const int table[] = { 15, [OTHER] = 15 };",
    "operator: -int value = a * 21; +int value = a + 21;",
    "operator: -if (a < value && b) /* 22 < 23 */ +if (a < value || b) /* 22 < 23 */",
    "condition: -if (a < value && b) /* 22 < 23 */ +if (!(a < value && b)) /* 22 < 23 */",
    "condition: -for (a = 0; a < 3; a++) +for (a = 0; !(a < 3); a++)",
    "constant: -for (a = 0; a < 3; a++) +for (a = 0; a < 2; a++)",
    """arguments: -call(a, "24 + 25 == 26 /*", '+'); +call("24 + 25 == 26 /*", a, '+');""",
    """dropped: -call(a, "24 + 25 == 26 /*", '+'); +(void)0;""",
    "dropped: -continue; +(void)0;",
    "operator: -value |= (int)*local; +value &= (int)*local;",
    "arguments: -for_each(a, b) { +for_each(b, a) {",
    "return: -return value; +return 0;",
    "constant: -return -1; +return -0;",
)
UNTOUCHED = ("comment 1 == 2", "define MACRO(x) ((x) + 11)", "member[12]", "= 13", "[OTHER] = ",
             "int prototype(int a, char *b)", "16 + 17", "18 + 19", "char local[20]", "22 < 23",
             '"24 + 25 == 26 /*"', "'+'", "ifndef GUARD_H", "calloc(a, b)")


def run():
    failed = 0

    def expect(name, right, why):
        nonlocal failed
        failed += not right
        print(f"ok - mutate: {name}" if right else f"not ok - mutate: {name} ({why})")

    made = [points.Mutant("x.c", SOURCE, *point) for point in points.Parser(SOURCE).points]
    said = {str(mutant).split(" ", 1)[1] for mutant in made}
    for kind in points.KINDS:
        expect(f"each {kind} mutation of the sample is made",
               any(text.startswith(kind) for text in said) and
               not [text for text in WANTED if text.startswith(kind) and text not in said],
               [text for text in WANTED if text not in said])
    for part in UNTOUCHED:
        touched = [str(mutant) for mutant in made
                   if part not in mutant.mutated and mutant.kind != "dropped"]
        expect(f"nothing touches {part}", not touched, touched)
    other = [str(mutant) for mutant in made if "return -2" in mutant.mutated]
    expect("no error becomes another error", not other, other)
    lines = {mutant.mutated.count("\n") for mutant in made}
    expect("the number of lines stays", lines == {SOURCE.count("\n")}, lines)
    with tempfile.TemporaryDirectory() as top:
        (Path(top) / "x.c").write_text(SOURCE)
        (Path(top) / "y.c").write_text(SOURCE.replace("21", "31"))
        lists = [[str(mutant) for mutant in points.drawn(seed, ("x.c", "y.c"), top)]
                 for seed in (1, 1, 2)]
    expect("a seed gives the same mutants in the same order", lists[0] == lists[1], lists[:2])
    expect("another seed gives others", lists[0] != lists[2], lists[0])
    expect("a line is drawn once", len(lists[0]) == len({text.split(" ")[0] for text in lists[0]}),
           lists[0])
    return failed
