# SPDX-License-Identifier: GPL-2.0
# Completion of gapp-read's command line in fish.

# The words behind gapp-read, up to the cursor.
function __gapp_read_words
    set -l words (commandline -opc)
    set -e words[1]
    string join -- \n $words
end

# The cursor is at the first word.
function __gapp_read_first
    test (count (__gapp_read_words)) = 0
end

# The cursor is in the command behind --.
function __gapp_read_behind
    contains -- -- (__gapp_read_words)
end

# gapp-read is asked for one of these commands, and the cursor is before any --.
function __gapp_read_does
    __gapp_read_behind; and return 1
    set -l words (__gapp_read_words)
    set -l command record
    if set -q words[1]; and contains -- $words[1] $__gapp_read_commands
        set command $words[1]
    end
    contains -- $command $argv
end

# Ids of processes; several with commas between.
function __gapp_read_processes
    set -l before (commandline -ct | string replace -r '^(--pid=|-p)' '' | string match -r '.*,')
    set -q before[1]; or set before ''
    for id in (string replace /proc/ '' -- /proc/* | string match -r '^[0-9]+$')
        echo $before$id
    end
end

function __gapp_read_folders
    __fish_complete_directories (commandline -ct | string replace -r '^--[a-z-]*=' '')
end

# What completes the command behind --.
function __gapp_read_command
    set -l words (__gapp_read_words) (commandline -ct)
    set -l at (contains -i -- -- $words)
    complete -C (string join ' ' -- (string escape -n -- $words[(math $at + 1)..-1]))
end

complete -c gapp-read -f
complete -c gapp-read -n __gapp_read_behind -a '(__gapp_read_command)'
complete -c gapp-read -n '__gapp_read_does script report export diff merge' -k -a '(__fish_complete_suffix .data)'
complete -c gapp-read -n '__gapp_read_does spins doctor' -F

# Written by `make completions` from the table of options, down to the next mark: do not edit.
set -g __gapp_read_commands record script report export diff merge top spins doctor ctl
complete -c gapp-read -f -n __gapp_read_first -a record -d 'record and report'
complete -c gapp-read -f -n __gapp_read_first -a script -d 'print every record as text'
complete -c gapp-read -f -n __gapp_read_first -a report -d 'report a recording that was kept'
complete -c gapp-read -f -n __gapp_read_first -a export -d 'write a recording to other formats'
complete -c gapp-read -f -n __gapp_read_first -a diff -d 'compare two recordings'
complete -c gapp-read -f -n __gapp_read_first -a merge -d 'make one recording of several'
complete -c gapp-read -f -n __gapp_read_first -a top -d 'show what is recorded now'
complete -c gapp-read -f -n __gapp_read_first -a spins -d 'find the busy-wait loops of programs and libraries'
complete -c gapp-read -f -n __gapp_read_first -a doctor -d 'tell whether gapp works here'
complete -c gapp-read -f -n __gapp_read_first -a ctl -d 'tell a gapp-read that records what to do'
complete -c gapp-read -n '__gapp_read_does record script top doctor' -s p -l pid -x -a '(__gapp_read_processes)' -d 'follow these processes, with all their threads and their descendants'
complete -c gapp-read -n '__gapp_read_does record script top' -s x -l exe -r -F -d 'follow all processes that run this program, now or later, as one target'
complete -c gapp-read -n '__gapp_read_does record script top' -l comm -x -d 'follow all processes of such names, now or later, as one target'
complete -c gapp-read -n '__gapp_read_does record script top' -l cgroup -r -F -d 'follow all processes of this control group, such as a container\'s, now or later, as one target'
complete -c gapp-read -n '__gapp_read_does record script top' -s a -l all -d 'follow every process, each as a target of its own'
complete -c gapp-read -n '__gapp_read_does record script top' -l as-one -d 'with -a: all of them as one target'
complete -c gapp-read -n '__gapp_read_does record script top' -l kthreads -x -d 'follow kernel threads of such names, alone or with what the others name'
complete -c gapp-read -n '__gapp_read_does record script top' -l no-inherit -d 'do not follow children'
complete -c gapp-read -n '__gapp_read_does record script top' -l max-threads -x -d 'follow at most so many threads at a time'
complete -c gapp-read -n '__gapp_read_does record script top' -s d -l duration -x -d 'record for so long at most'
complete -c gapp-read -n '__gapp_read_does top' -s i -l interval -x -d 'top: look again after so long'
complete -c gapp-read -n '__gapp_read_does record' -l keep -x -d 'keep only the last so many seconds, in memory'
complete -c gapp-read -n '__gapp_read_does record' -l when -x -d 'with --keep: write them when it holds, such as \'parallelism < 2 for 100ms\''
complete -c gapp-read -n '__gapp_read_does record ctl' -s s -l socket -r -F -d 'listen to gapp-read ctl there, or talk to it there'
complete -c gapp-read -n '__gapp_read_does record' -l wait-for-ctl -d 'begin to record when gapp-read ctl start says so'
complete -c gapp-read -n '__gapp_read_does record script top' -l delay -x -d 'begin to record after so long'
complete -c gapp-read -n '__gapp_read_does record script top' -s n -l threshold -x -a 'half' -d 'N_min, how few active threads are too few'
complete -c gapp-read -n '__gapp_read_does record script top' -l level -x -a 'stats critical trace' -d 'how much to record'
complete -c gapp-read -n '__gapp_read_does record script top' -s F -l rate -x -d 'samples a second'
complete -c gapp-read -n '__gapp_read_does record script top' -l spin -x -a 'sampled off exact' -d 'threads that a sample finds in busy-wait loops'
complete -c gapp-read -n '__gapp_read_does record script top' -l max-stack -x -d 'frames of a call path, at most 127'
complete -c gapp-read -n '__gapp_read_does record script top' -l call-graph -x -a 'auto fp table copy none verify' -d 'how paths are taken'
complete -c gapp-read -n '__gapp_read_does record script top' -s k -l kernel -d 'call paths go on in the kernel'
complete -c gapp-read -n '__gapp_read_does record script top' -l no-kernel -d 'call paths end where they enter the kernel'
complete -c gapp-read -n '__gapp_read_does record script top' -l min-critical -x -d 'pass a slice on when its thread has collected about so much'
complete -c gapp-read -n '__gapp_read_does record script top' -l criterion -x -a 'share average' -d 'count the part of a slice in which few threads were active'
complete -c gapp-read -n '__gapp_read_does record' -l waits -d 'add up what each thread waited for, its run-queue delays, and who preempted it, for -v and JSON'
complete -c gapp-read -n '__gapp_read_does record top' -l counters -x -d 'count for each thread and NUMA node, with commas between'
complete -c gapp-read -n '__gapp_read_does record script top' -s m -l ring -x -d 'buffer of each CPU, at most 64M'
complete -c gapp-read -n '__gapp_read_does record report export diff' -l by -x -a 'place path slice-end function line thread process wait-object' -d 'rows of the table'
complete -c gapp-read -n '__gapp_read_does record report export' -l view -x -a 'places waits threads wait-objects wakers critical-path graph handover sections counters' -d 'what the report has behind its head'
complete -c gapp-read -n '__gapp_read_does record report export diff top' -l reasons -r -F -d 'what functions of your programs wait for, a line each'
complete -c gapp-read -n '__gapp_read_does record report export' -l tree -d 'print the tree of call paths, too'
complete -c gapp-read -n '__gapp_read_does record report export diff top' -l top -x -d 'so many rows'
complete -c gapp-read -n '__gapp_read_does record report export diff top' -l no-libs -d 'paths begin at the program itself, not in libraries'
complete -c gapp-read -n '__gapp_read_does record report export diff top' -l threads-only -d 'do not rank processes\' first threads'
complete -c gapp-read -n '__gapp_read_does record report export diff top' -l process-only -d 'rank only processes\' first threads'
complete -c gapp-read -n '__gapp_read_does record script report export diff top spins doctor' -l symfs -x -a '(__gapp_read_folders)' -d 'look programs, libraries and debug files up below DIR first'
complete -c gapp-read -n '__gapp_read_does record' -l debuginfod -d 'ask the servers of DEBUGINFOD_URLS for debug files, even as root'
complete -c gapp-read -n '__gapp_read_does record' -l no-debuginfod -d 'do not ask the servers for debug files'
complete -c gapp-read -n '__gapp_read_does record report diff' -l source-path -x -a '(__gapp_read_folders)' -d 'show source text, of files below DIR'
complete -c gapp-read -n '__gapp_read_does record report diff spins doctor' -l format -x -a 'text json csv folded' -d 'format of the report on standard output'
complete -c gapp-read -n '__gapp_read_does record report export diff spins merge doctor' -s o -l output -r -F -d 'write the report to FILE, too, as its suffix says'
complete -c gapp-read -n '__gapp_read_does record' -l records -d 'keep every record in it, too, for script FILE'
complete -c gapp-read -n '__gapp_read_does merge' -l same-boot -d 'merge: recordings that do not say when their machine was started are of one machine without a restart'
complete -c gapp-read -n '__gapp_read_does record' -l no-save -d 'do not keep the recording'
complete -c gapp-read -n '__gapp_read_does report diff' -l fail-if -x -d 'exit with status 3 if it holds'
complete -c gapp-read -n '__gapp_read_does record report diff top' -l color -x -a 'auto always never' -d 'colours: on a terminal, without NO_COLOR'
complete -c gapp-read -n '__gapp_read_does record script report export diff top spins merge doctor ctl' -s q -l quiet -d 'no progress line'
complete -c gapp-read -n '__gapp_read_does record report export diff spins' -s v -l verbose -d 'every thread, more paths and all checks'
complete -c gapp-read -n '__gapp_read_does record script report export diff top spins merge doctor ctl' -s h -l help -d 'this text'
complete -c gapp-read -n '__gapp_read_does record script report export diff top spins merge doctor ctl' -s V -l version -d 'versions of gapp-read and of the loaded module'
# End of what `make completions` writes.
