# SPDX-License-Identifier: GPL-2.0
"""The binaries whose names are compared: how each is made, and which file its judges read."""
import dataclasses
import glob
import itertools

LIBC = "/lib/x86_64-linux-gnu/"


@dataclasses.dataclass
class Case:
    """A binary.

    make: commands, in a folder of its own with the sources
    file: what is looked at
    judge: what the judges read; by default the same
    symfs: folder of --symfs, or None
    names: only functions are known, not lines
    exported: only names of exported functions are known
    server: its debug file is with a server
    tools: programs that must be there
    environment: of the program that is tested, once it runs
    """
    name: str
    make: str
    file: str = "x"
    judge: str = ""
    symfs: str = ""
    names: bool = False
    exported: bool = False
    server: bool = False
    tools: tuple = ()
    environment: dict = None


def compiled():
    """Compilers, optimization, versions and kinds of debug information."""
    for compiler, level in itertools.product(("gcc", "clang"), range(4)):
        yield Case(f"{compiler} -O{level}", f"{compiler} -g -O{level} -o x subject.c",
                   tools=(compiler,))
    for compiler, version in itertools.product(("gcc", "clang"), (3, 4, 5)):
        yield Case(f"{compiler} -gdwarf-{version}",
                   f"{compiler} -gdwarf-{version} -O2 -o x subject.c library.c -DNO_MAIN",
                   tools=(compiler,))
    for option in ("-g1", "-g3", "-g -gz", "-g -gz=zlib-gnu", "-g -no-pie", "-g -static",
                   "-g -static-pie", "-g -flto", "-g -ffunction-sections",
                   "-g -freorder-blocks-and-partition -ffunction-sections -Wl,--gc-sections"):
        yield Case(f"gcc {option}", f"gcc -O2 {option} -o x subject.c", tools=("gcc",))
    for option in ("-g1", "-gline-tables-only", "-g -gz", "-g -no-pie", "-g -ffunction-sections"):
        yield Case(f"clang {option}", f"clang -O2 {option} -o x subject.c", tools=("clang",))
    yield Case("gcc shared library", "gcc -g -O2 -fPIC -shared -o x library.c")
    for compiler, level in itertools.product(("g++", "clang++"), (0, 2, 3)):
        yield Case(f"{compiler} -O{level}", f"{compiler} -g -O{level} -o x subject.cc",
                   tools=(compiler,))
    yield Case("g++ -flto", "g++ -g -O2 -flto -o x subject.cc", tools=("g++",))
    for level in (0, 3):
        yield Case(f"rustc -C opt-level={level}", f"rustc -g -C opt-level={level} -o x plain.rs",
                   tools=("rustc",))
    yield Case("go", "GOCACHE=$PWD/cache GO111MODULE=off go build -o x plain.go", tools=("go",))
    yield Case("gfortran -O2", "gfortran -g -O2 -o x plain.f90", tools=("gfortran",))


def split():
    """Split DWARF; the judges, of which none knows all of it, read the same code unsplit."""
    for compiler, version in itertools.product(("gcc", "clang", "g++", "clang++"), (4, 5)):
        source = "subject.cc" if "+" in compiler else "subject.c"
        both = (f"{compiler} -O2 -gdwarf-{version} -o whole {source}; "
                f"{compiler} -O2 -gdwarf-{version} -gsplit-dwarf -o x {source}")
        yield Case(f"{compiler} -gdwarf-{version} -gsplit-dwarf", both, judge="whole",
                   tools=(compiler,))
        # binutils' dwp knows no version 5, and llvm-dwp 14 never ends on gcc's
        if version == 5 and compiler in ("gcc", "g++"):
            continue
        packer = "dwp" if version == 4 else "llvm-dwp"
        yield Case(f"{compiler} -gdwarf-{version} {packer}",
                   f"{both}; {packer} -e x -o x.dwp; rm *.dwo", judge="whole",
                   tools=(compiler, packer))
    yield Case("split, compressed",
               "gcc -O2 -g -o whole subject.c; gcc -O2 -g -gz -gsplit-dwarf -o x subject.c",
               judge="whole")
    yield Case("split, moved below --symfs",
               "gcc -O2 -g -o whole subject.c; gcc -O2 -g -gsplit-dwarf -o x subject.c; "
               "mkdir -p root$PWD; mv *.dwo root$PWD", judge="whole", symfs="root")


def separate():
    """Debug information in a file of its own."""
    whole = "gcc -g -O2 -Wl,--build-id -o whole subject.c; objcopy --only-keep-debug whole x.debug; "
    link = "strip -o x whole; objcopy --add-gnu-debuglink=x.debug x; "
    move = ("id=$(readelf -n x | sed -n 's/.*Build ID: //p'); rest=${id#??}; "
            "to=%s/.build-id/${id%%$rest}; mkdir -p $to; mv x.debug $to/$rest.debug")
    yield Case("debuglink beside", whole + link, judge="whole")
    yield Case("debuglink in .debug", whole + link + "mkdir .debug; mv x.debug .debug", judge="whole")
    yield Case("debuglink below --symfs",
               whole + link + "mkdir -p root/usr/lib/debug$PWD; mv x.debug root/usr/lib/debug$PWD",
               judge="whole", symfs="root")
    yield Case("build-id below --symfs", whole + "strip -o x whole; " + move % "root/usr/lib/debug",
               judge="whole", symfs="root")
    yield Case("build-id at the top of --symfs", whole + "strip -o x whole; " + move % "root",
               judge="whole", symfs="root")
    yield Case("the file itself below --symfs",
               whole + "strip -o x whole; mkdir -p root$PWD; cp whole root$PWD/x",
               judge="whole", symfs="root")
    yield Case("debuginfod", whole + "strip -o x whole; mkdir served; mv x.debug served",
               judge="whole", server=True, tools=("debuginfod",))
    yield Case("compressed debug file",
               whole + "objcopy --compress-debug-sections x.debug; " + link, judge="whole")
    yield Case("eu-strip", "gcc -g -O2 -o whole subject.c; eu-strip -f x.debug -o x whole",
               judge="whole", tools=("eu-strip",))
    mini = ("nm -S whole | awk '$3 ~ /[tT]/ { print $NF }' > keep; "
            "objcopy -S --remove-section .gdb_index --remove-section .comment "
            "--keep-symbols=keep x.debug mini; xz mini; strip -o x whole; "
            "objcopy --add-section .gnu_debugdata=mini.xz x")
    yield Case(".gnu_debugdata", whole + mini, judge="whole", names=True, tools=("xz",))
    yield Case("exported names only", "gcc -g -O2 -rdynamic -o whole subject.cc -lstdc++; "
               "strip -o x whole", judge="whole", names=True, exported=True)
    two = ("gcc -g -O2 -gdwarf-4 -fPIC -shared -o x library.c subject.c; cp x whole; "
           "gcc -g -O2 -gdwarf-4 -fPIC -shared -o y subject.c library.c; ")
    yield Case("dwz", two + "dwz x", judge="whole", tools=("dwz",))
    yield Case("dwz, shared file", two + "dwz -r -m x.debug x y", judge="whole", tools=("dwz",))
    yield Case("dwz, shared file by build-id",
               two + "dwz -m x.debug x y; "
               "id=$(readelf -n x.debug | sed -n 's/.*Build ID: //p'); rest=${id#??}; "
               "to=root/.build-id/${id%$rest}; mkdir -p $to; mv x.debug $to/$rest.debug",
               judge="whole", symfs="root", tools=("dwz",))
    yield Case("dwz in a debug file", "gcc -g -O2 -gdwarf-4 -o whole subject.c library.c -DNO_MAIN; "
               "cp whole y; objcopy --only-keep-debug whole x.debug; dwz x.debug; " + link,
               judge="whole", tools=("dwz",))


def installed():
    """Debian's own files that are here with their debug symbols."""
    for path in (LIBC + "libc.so.6", LIBC + "libm.so.6", LIBC + "ld-linux-x86-64.so.2",
                 *sorted(glob.glob("/usr/bin/python3*-dbg"))):
        yield Case(f"Debian's {path}", "", file=path)


def cases():
    return [*compiled(), *split(), *separate(), *installed()]
