#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs serial_broadcast as /opt/inner in a container, whose file system goes with it:
#	unshare -m sh container.sh FOLDER ARGUMENT...
set -e
box=$1
shift
mkdir -p "$box"
mount -t tmpfs none "$box"
for folder in lib lib64 usr; do
	[ -d /$folder ] || continue
	mkdir -p "$box/$folder"
	mount --bind /$folder "$box/$folder"
done
mkdir -p "$box/opt"
cp "$(which serial_broadcast)" "$box/opt/inner"
exec chroot "$box" /opt/inner "$@"
