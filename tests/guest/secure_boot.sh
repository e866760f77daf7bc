#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In the guest: module.sig_enforce. A module without a signature, and one whose key this kernel does not know.
# brings: build/signed/gapp.ko docs/secure-boot.md
# shellcheck shell=dash
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/guest/signed_only.sh
. "$here/signed_only.sh"

installed "$KO"
told "before" 0 ok signature "takes modules without a signature"
rmmod gapp
echo 1 >"$enforce"
refused "a module without a signature" "$folder/gapp.ko" "Key was rejected by service" "Loading of unsigned module is rejected"
told "a module without a signature" 1 problem signature "only signed modules (module.sig_enforce), and .*has no signature: docs/secure-boot.md"
installed "$signed"
refused "a module whose key is not enrolled" "$folder/gapp.ko" "Key was rejected by service" \
	"Loading of module with unavailable key is rejected"
told "a module whose key is not enrolled" 1 "not known" signature "only signed modules (module.sig_enforce), and gapp is one.*docs/secure-boot.md"
rm -r "$folder" "$folder/../modules.dep"
finish
