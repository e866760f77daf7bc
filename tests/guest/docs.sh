#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC3043 # busybox has local
# The commands of the documents, with the module: each line of build/docs/commands is where a command
# stands, the statuses that it may have, and the command (tests/docs/run --list).
# brings: build/docs
set -u
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

program=$(command -v serial_broadcast)
cd "$tmp" || exit 1
# takes any arguments
printf '#!/bin/sh\nexec serial_broadcast\n' >any-arguments
chmod +x any-arguments
gapp-read --records -o made.data -- "$program" >made 2>&1
same "a recording to read" $? 0
for name in gapp x old new slow mended prog before after; do
	cp made.data "$name.data"
done
cp made.data gapp.data.old
sh -c 'while :; do serial_broadcast; done' >/dev/null &
process=$!

tab=$(printf '\t')
number=0
while IFS=$tab read -r where statuses call; do
	number=$((number + 1))
	call=$(echo "$call" | sed "s|@PROCESS@|$process|g; s|@PROGRAM@|$program|g; s|@COMMAND@|$tmp/any-arguments|g")
	# without an end of its own
	timeout -s INT $((10 * slow)) sh -c "exec $call" >said 2>&1 </dev/null
	status=$?
	case " $statuses " in
	*" $status "*) ok "$where: $call" ;;
	*) not_ok "$where: $call" "status $status: $(tail -n 3 said)" ;;
	esac
done <"$here/../../build/docs/commands"
check "all commands were tried" "$number" [ "$number" -gt 30 ]
kill "$process"
echo "done $part"
