#!/bin/sh
# start.sh <java> <argument>...: becomes java with these arguments; start.sh --for <java> <program> <argument>...: becomes that
# program, which starts that java where nothing can be written. The bootstrap beside this file comes as source; whoever is
# first on this host compiles it, with the javac that stands beside that java.
here=${0%/*}
java=$1
if [ "$1" = --for ]; then
  java=$2
  shift 2
fi
if [ ! -d "$here/classes" ]; then
  fresh=$(mktemp -d "$here/fresh-XXXXXX") || exit 1
  # This begins in the function's package, outside its sandbox, and all functions share what comes of it: nothing is looked for
  # but here.
  if ! (cd "$here" && "${java%/*}/javac" -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC -proc:none -implicit:none -nowarn --release 11 \
      -encoding UTF-8 -cp "$fresh" -sourcepath "$here/src" -d "$fresh" $(find src -name '*.java')) >"$fresh.log" 2>&1; then
    cat "$fresh.log"
    rm -rf "$fresh" "$fresh.log"
    exit 1
  fi
  rm -f "$fresh.log"
  # Several may have begun at once: one of them names it.
  mv -T "$fresh" "$here/classes" 2>/dev/null || rm -rf "$fresh"
fi
exec "$@"
