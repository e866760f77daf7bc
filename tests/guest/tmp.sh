#!/bin/sh
. "$(dirname "$0")/lib.sh"
for g in max_exited samples sums; do abi_test "$g" 2>&1 | grep "not ok\|share\|falls"; done
finish
