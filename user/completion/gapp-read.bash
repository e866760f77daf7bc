# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Completion of gapp-read's command line in bash.

# Written by `make completions` from the table of options, down to the next mark: do not edit.
_gapp_read_commands='record script report export diff merge top spins doctor ctl'

_gapp_read_options() { # COMMAND
	case $1 in
	record) echo '-p --pid -x --exe --comm --cgroup -a --all --as-one --kthreads --no-inherit --max-threads -d --duration --keep --when -s --socket --wait-for-ctl --delay -n --threshold --level -F --rate --spin --max-stack --call-graph -k --kernel --no-kernel --min-critical --criterion --waits --counters -m --ring --by --view --reasons --tree --top --no-libs --threads-only --process-only --symfs --debuginfod --no-debuginfod --source-path --format -o --output --records --no-save --color -q --quiet -v --verbose -h --help -V --version' ;;
	script) echo '-p --pid -x --exe --comm --cgroup -a --all --as-one --kthreads --no-inherit --max-threads -d --duration --delay -n --threshold --level -F --rate --spin --max-stack --call-graph -k --kernel --no-kernel --min-critical --criterion -m --ring --symfs -q --quiet -h --help -V --version' ;;
	report) echo '--by --view --reasons --tree --top --no-libs --threads-only --process-only --symfs --source-path --format -o --output --fail-if --color -q --quiet -v --verbose -h --help -V --version' ;;
	export) echo '--by --view --reasons --tree --top --no-libs --threads-only --process-only --symfs -o --output -q --quiet -v --verbose -h --help -V --version' ;;
	diff) echo '--by --reasons --top --no-libs --threads-only --process-only --symfs --source-path --format -o --output --fail-if --color -q --quiet -v --verbose -h --help -V --version' ;;
	merge) echo '-o --output --same-boot -q --quiet -h --help -V --version' ;;
	top) echo '-p --pid -x --exe --comm --cgroup -a --all --as-one --kthreads --no-inherit --max-threads -d --duration -i --interval --delay -n --threshold --level -F --rate --spin --max-stack --call-graph -k --kernel --no-kernel --min-critical --criterion --counters -m --ring --reasons --top --no-libs --threads-only --process-only --symfs --color -q --quiet -h --help -V --version' ;;
	spins) echo '--symfs --format -o --output -q --quiet -v --verbose -h --help -V --version' ;;
	doctor) echo '-p --pid --symfs --format -o --output -q --quiet -h --help -V --version' ;;
	ctl) echo '-s --socket -q --quiet -h --help -V --version' ;;
	esac
}

# The words that an option's value may be, or what it names; fails if it has none.
_gapp_read_values() { # OPTION
	case $1 in
	-p | --pid) echo '@processes' ;;
	-x | --exe) echo '@files' ;;
	--comm) echo '' ;;
	--cgroup) echo '@files' ;;
	--kthreads) echo '' ;;
	--max-threads) echo '' ;;
	-d | --duration) echo '' ;;
	-i | --interval) echo '' ;;
	--keep) echo '' ;;
	--when) echo '' ;;
	-s | --socket) echo '@files' ;;
	--delay) echo '' ;;
	-n | --threshold) echo 'half' ;;
	--level) echo 'stats critical trace' ;;
	-F | --rate) echo '' ;;
	--spin) echo 'sampled off exact' ;;
	--max-stack) echo '' ;;
	--call-graph) echo 'auto fp table copy none verify' ;;
	--min-critical) echo '' ;;
	--criterion) echo 'share average' ;;
	--counters) echo '' ;;
	-m | --ring) echo '' ;;
	--by) echo 'place path slice-end function line thread process wait-object' ;;
	--view) echo 'places waits threads wait-objects wakers critical-path graph handover sections counters' ;;
	--reasons) echo '@files' ;;
	--top) echo '' ;;
	--symfs) echo '@folders' ;;
	--source-path) echo '@folders' ;;
	--format) echo 'text json csv folded' ;;
	-o | --output) echo '@files' ;;
	--fail-if) echo '' ;;
	--color) echo 'auto always never' ;;
	*) return 1 ;;
	esac
}
# End of what `make completions` writes.

# Words of a list that begin as the word at the cursor does.
_gapp_read_reply() { # LIST [BEFORE]
	mapfile -t COMPREPLY < <(compgen -P "${2-}" -W "$1" -- "${cur#"${2-}"}")
}

_gapp_read_files() { # -f|-d
	compopt -o filenames 2> /dev/null
	mapfile -t COMPREPLY < <(compgen "$1" -- "$cur")
}

# Recordings, and folders in which some could be; any file if there is neither.
_gapp_read_recordings() {
	compopt -o filenames 2> /dev/null
	mapfile -t COMPREPLY < <(
		compgen -d -- "$cur"
		compgen -f -X '!*.data?(.old)' -- "$cur"
	)
	[ "${#COMPREPLY[@]}" -gt 0 ] || _gapp_read_files -f
}

# Ids of processes; several with commas between.
_gapp_read_processes() {
	local before=
	[[ $cur != *,* ]] || before=${cur%,*},
	_gapp_read_reply "$(cd /proc && echo [0-9]*)" "$before"
}

_gapp_read_value() { # LIST
	case $1 in
	@processes) _gapp_read_processes ;;
	@files) _gapp_read_files -f ;;
	@folders) _gapp_read_files -d ;;
	*) _gapp_read_reply "$1" ;;
	esac
}

# The command behind --, which begins at that word.
_gapp_read_command() { # WORD
	if declare -F _command_offset > /dev/null; then
		_command_offset "$1"
	elif [ "$COMP_CWORD" = "$1" ]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$cur")
	else
		_gapp_read_files -f
	fi
}

_gapp_read() {
	local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} command=record values i
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [ "${COMP_WORDS[i]}" = -- ]; then
			_gapp_read_command $((i + 1))
			return
		fi
	done
	case " $_gapp_read_commands " in
	*" ${COMP_WORDS[1]} "*) [ "$COMP_CWORD" = 1 ] || command=${COMP_WORDS[1]} ;;
	esac
	# --option=value is three words
	if [ "$cur" = = ]; then
		cur=
	elif [ "$option" = = ]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	if values=$(_gapp_read_values "$option"); then
		_gapp_read_value "$values"
	elif [[ $cur == -* ]]; then
		_gapp_read_reply "$(_gapp_read_options "$command")"
	elif [ "$COMP_CWORD" = 1 ]; then
		_gapp_read_reply "$_gapp_read_commands"
	elif [[ $command == @(script|report|export|diff|merge) ]]; then
		_gapp_read_recordings
	elif [[ $command == @(spins|doctor) ]]; then
		_gapp_read_files -f
	fi
}

shopt -q extglob || shopt -s extglob
complete -F _gapp_read gapp-read
