#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In the guest: a kernel that is locked down while gapp is loaded. What it records, and which modules are refused then.
# brings: build/signed/gapp.ko docs/secure-boot.md
# shellcheck shell=dash
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/guest/signed_only.sh
. "$here/signed_only.sh"

has_kernel_path() # NAME REPORT
{
	check "$1: the kernel's part of a path is recorded" "$(head -c 400 "$2.err")" grep -q '"object": "\[kernel' "$2"
}

installed "$signed"
told "before" 0 ok lockdown "not locked down"
echo integrity >$security/lockdown
told "integrity" 0 warning lockdown "integrity"
format=json record "$tmp/integrity" -k -- "$tests/hand" storm 20
has_kernel_path "integrity" "$tmp/integrity"
echo confidentiality >$security/lockdown
told "confidentiality" 0 warning lockdown "confidentiality"
told "confidentiality, the kernel's paths" 0 warning "kernel paths" "lockdown=confidentiality"
format=json record "$tmp/confidentiality" -- "$tests/hand" storm 20
check "confidentiality: threads are recorded without the kernel's part" "$(cat "$tmp/confidentiality.err")" \
	grep -q '"threads": ' "$tmp/confidentiality"
rmmod gapp
refused "locked down: a module whose key is not enrolled" "$folder/gapp.ko" "Operation not permitted" \
	"Lockdown: insmod: unsigned module loading is restricted; see man kernel_lockdown.7"
told "locked down: a module whose key is not enrolled" 1 "not known" signature "only signed modules (lockdown), and gapp is one.*docs/secure-boot.md"
installed "$KO"
refused "locked down: a module without a signature" "$folder/gapp.ko" "Operation not permitted" \
	"Lockdown: insmod: unsigned module loading is restricted; see man kernel_lockdown.7"
told "locked down: a module without a signature" 1 problem signature "only signed modules (lockdown), and .*has no signature: docs/secure-boot.md"
rm -r "$folder" "$folder/../modules.dep"
finish
