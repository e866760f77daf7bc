# SPDX-License-Identifier: GPL-2.0
"""A machine to change: commands run as root in a mount namespace, where /etc, /usr, /var and this tree have a layer above
them that is thrown away, and so the machine stays as it is.

The kernel has a stand-in: `make -C /lib/modules/RELEASE/build modules` copies a file that has the module's name and version
and no code. Nothing is loaded: modprobe only says what it would do, and of insmod's file only the description is read."""

import functools
import os
import re
import shlex
import shutil
import subprocess
import tempfile

from harness import Skip, TOP, expect, read

PATIENCE = 300  # seconds for what takes some: the machine may be busy
MARK = "@@ status "
SBIN = "/usr/local/sbin:/usr/sbin:/sbin"

# What is there before the first command; $1 is the tree, $2 the folder for the layers.
BEGIN = r"""
set -eu
[ /lib -ef /usr/lib ] || { echo "/lib is no part of /usr"; exit 1; }
mount -t tmpfs -o size=75% tmpfs "$2"
mkdir -p "$2/bin"
for below in /etc /usr /var "$1"; do
	layer=$2/layers$below
	mkdir -p "$layer/files" "$layer/work"
	mount -t overlay overlay -o "lowerdir=$below,upperdir=$layer/files,workdir=$layer/work" "$below"
done
cd "$1"
rm -rf gapp.ko build/module build/kdir /usr/src/gapp-* /var/lib/dkms/gapp
find /usr/lib/modules /usr/local -name '*gapp*' ! -path "$1*" -prune -exec rm -rf {} + 2>/dev/null || :
sed -i '/^gapp:/d' /etc/group /etc/gshadow 2>/dev/null || :
mkdir -p /etc/udev/rules.d /etc/modules-load.d
install -D -m 644 -t /usr/share/doc/gapp/examples scripts/packaging/60-gapp.rules scripts/packaging/gapp.conf

kernel=/lib/modules/$(uname -r)/build
rm -rf "$kernel"
mkdir -p "$kernel/include/config"
touch "$kernel/.config"
uname -r >"$kernel/include/config/kernel.release"
printf '.section .modinfo, "a"\n' >"$kernel/gapp.S"
printf '.asciz "%s"\n' license=GPL name=gapp "version=$(cat VERSION)" "vermagic=$(uname -r) " >>"$kernel/gapp.S"
gcc -c -o "$kernel/made" "$kernel/gapp.S"
printf 'all modules:\n\tcp %s $(M)/gapp.ko\nclean:\n\t@true\n' "$kernel/made" >"$kernel/Makefile"

stand_in() { # FOLDER NAME TEXT
	printf '#!/bin/sh\n%s\n' "$3" >"$1/$2"
	chmod +x "$1/$2"
}
modprobe=$(command -v modprobe || :)
stand_in "$2/bin" sudo 'exec "$@"'
stand_in "$2/bin" modprobe "exec ${modprobe:-modprobe-is-missing} -n -v \"\$@\""
stand_in "$2/bin" insmod 'exec modinfo "$@"'
for never in rmmod reboot mokutil udevadm systemctl; do
	stand_in "$2/bin" "$never" 'echo "$0 is not for this machine" >&2; exit 1'
done
PATH=$2/bin:$PATH
set +eu
"""


def place_for_layers():
    return next(folder for folder in ("/mnt", "/media", "/srv") if not f"{TOP}/".startswith(f"{folder}/"))


def environment():
    return {**os.environ, "PATH": f"{os.environ['PATH']}:{SBIN}", "LC_ALL": "C.UTF-8", "LANGUAGE": "", "USER": "root",
            "PAGER": "cat", "MANPAGER": "cat"}


def unshared(script):
    """What a script says in the machine, and its status."""
    with tempfile.NamedTemporaryFile("w", suffix=".sh") as file:
        file.write(BEGIN + script)
        file.flush()
        with open(file.name, encoding="utf-8") as stdin:
            # bash reads the script as it goes: its name may lie below a layer
            return subprocess.run(["unshare", "-m", "bash", "-s", "--", TOP, place_for_layers()], stdin=stdin, cwd="/",
                                  env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace", timeout=PATIENCE, check=False)


@functools.cache
def lacks():
    """Why there is no such machine here, or None."""
    if os.geteuid():
        return "a copy of this machine's folders can only be mounted by root"
    if not shutil.which("unshare"):
        return "no unshare"
    if not re.search(re.search('^BUILD_EXCLUSIVE_KERNEL="(.*)"', read("dkms.conf"), re.M)[1], os.uname().release):
        return f"gapp is for no kernel like this machine's, {os.uname().release}"
    done = unshared(f"echo '{MARK}ready'\n")
    if f"{MARK}ready" in done.stdout:
        return None
    return f"no layers can be mounted here: {done.stdout.strip()[-200:]}"


def has(program):
    return bool(shutil.which(program, path=environment()["PATH"]))


def filled(call):
    """A command with what stands for placeholders."""
    version = read("VERSION").strip()
    return re.sub(r"(?<=gapp[/-])VERSION\b", version, call)


def run(calls):
    """Runs commands of a shell, one after another until one fails. Yields each with its status and what it said."""
    if lacks():
        raise Skip(lacks())
    lines = []
    for call in calls:
        # the file of the script is bash's standard input
        lines.append(f"bash -o pipefail -c {shlex.quote(filled(call))} </dev/null; status=$?; echo; echo '{MARK}'$status; "
                     "[ $status = 0 ] || exit\n")
    said = unshared("".join(lines)).stdout
    parts = re.split(rf"^{MARK}(\d+)\n", said, flags=re.M)
    expect(len(parts) > 1, "the machine did not begin:", said[-300:])
    for call, words, status in zip(calls, parts[::2], parts[1::2]):
        yield call, int(status), words.strip()
