# SPDX-License-Identifier: GPL-2.0
"""What a shell would complete a command line to. Each function is given the begin of a line and a
folder to be in, and returns the set of completions of the word at the line's end."""

import os
import pty
import select
import shlex
import subprocess
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(TOP, "user", "completion")
BASH_COMPLETION = "/usr/share/bash-completion/bash_completion"
PATIENCE = 60  # seconds for what takes one: the machine may be busy
PROMPT = "ready-for-a-line"
# What the shells begin with and write, away from the folder whose files they complete.
SCRATCH = tempfile.TemporaryDirectory()
OUT = os.path.join(SCRATCH.name, "completed")


class NoAnswer(Exception):
    """The shell did not do it in time."""


class Terminal:
    """A shell on a terminal of its own."""

    def __init__(self, command, folder, **env):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.chdir(folder)
            os.execvpe(command[0], command, {"PATH": os.environ["PATH"], "HOME": SCRATCH.name, "TERM": "dumb",
                                             "LC_ALL": "C.UTF-8", "COLUMNS": "500", **env})
        self.text = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)  # hangs up
        os.waitpid(self.pid, 0)

    def type(self, text):
        os.write(self.fd, text.encode())

    def read_until(self, condition, what):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                raise NoAnswer(f"{what} did not come: {self.text[-300:]!r}")
            if select.select([self.fd], [], [], 0.02)[0]:
                try:
                    self.text += os.read(self.fd, 1 << 16).decode(errors="replace")
                except OSError as gone:
                    raise NoAnswer(f"the shell ended: {self.text[-300:]!r}") from gone

    def read_until_prompt(self):
        self.read_until(lambda: PROMPT in self.text, "the prompt")

    def read_answer(self, line):
        self.read_until(lambda: read(OUT).endswith("END\n"), f"what {line!r} completes to")
        lines = read(OUT).splitlines()[:-1]
        os.unlink(OUT)
        return lines


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(name, text):
    path = os.path.join(SCRATCH.name, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def value_of(word):
    """--option=value: the value, and how long what stands before is."""
    return word.index("=") + 1 if word.startswith("--") and "=" in word else 0


def bash_with(setup, line, folder):
    """readline inserts all completions, and a function called gapp-read is run with them."""
    start = write("bashrc", f"""PS1='{PROMPT} '
{setup}
. {shlex.quote(FOLDER)}/gapp-read.bash
gapp-read() {{ printf '%s\\n' "$@" END > {shlex.quote(OUT)}; }}
bind '"\\C-x\\C-a": insert-completions'
bind 'set bell-style none'
""")
    with Terminal(["bash", "--noprofile", "--rcfile", start, "-i"], folder) as shell:
        shell.read_until_prompt()
        shell.type(line + "\x18\x01\r")
        words = shell.read_answer(line)
    before = line.split(" ")[1:]
    last = before.pop()
    words = words[len(before):]
    if words == [last]:
        return set()  # the line stayed as it was
    if words:
        words[0] = words[0][value_of(last):]
    return {word.rstrip("/") for word in words if word}


def bash(line, folder):
    return bash_with("", line, folder)


def bash_with_package(line, folder):
    return bash_with(f". {BASH_COMPLETION}", line, folder)


ZSH_START = r"""
PROMPT=%s' '
fpath=(%s $fpath)
autoload -Uz compinit
compinit -u -D
# Notes what completion functions offer.
compadd() {
	local -a hits
	if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
		builtin compadd -A hits "$@"
		print -rl -- $hits >> %s
	fi
	builtin compadd "$@"
}
noted() {
	_main_complete
	print END >> %s
	compstate[insert]= compstate[list]=
}
zle -C noted complete-word noted
bindkey '^X^A' noted
"""


def zsh(line, folder):
    write(".zshrc", ZSH_START % (PROMPT, shlex.quote(FOLDER), shlex.quote(OUT), shlex.quote(OUT)))
    with Terminal(["zsh", "-d", "-i"], folder, ZDOTDIR=SCRATCH.name) as shell:
        shell.read_until_prompt()
        shell.type(line + "\x18\x01")
        words = shell.read_answer(line)
    return {word.rstrip("=+") if word.startswith("-") else word for word in words if word}


def fish(line, folder):
    script = f"source {shlex.quote(FOLDER)}/gapp-read.fish; complete -C {shlex.quote(line)}"
    done = subprocess.run(["fish", "-N", "-c", script], cwd=folder, capture_output=True, text=True,
                          timeout=PATIENCE, check=True,
                          env={**os.environ, "LC_ALL": "C.UTF-8", "HOME": SCRATCH.name})
    words = {each.split("\t")[0] for each in done.stdout.splitlines()}
    return {word[value_of(line.split(" ")[-1]):].rstrip("/") for word in words}
