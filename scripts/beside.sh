#!/bin/sh
# beside.sh COMMAND OTHER: runs two commands of the shell at the same time, for each waits while it links, sleeps or downloads.
# What OTHER prints is shown once both have ended. The status is COMMAND's where that failed, and OTHER's where it didn't.
# Ctrl-C and SIGTERM end both.
set -u

if [ "$#" -ne 2 ]; then
    echo "$0: two commands are needed, each in quotes; $# given" >&2
    exit 2
fi

printed=$(mktemp) || exit 1
sh -c "$1" &
first=$!
sh -c "$2" >"$printed" 2>&1 &
other=$!
trap 'kill "$first" "$other" 2>/dev/null; wait; cat "$printed"; rm -f "$printed"; exit 130' HUP INT TERM

wait "$first"
status=$?
wait "$other"
second=$?
cat "$printed"
rm -f "$printed"
[ "$status" -ne 0 ] || status=$second
exit "$status"
