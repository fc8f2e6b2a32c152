#!/bin/sh
# Compiles the peer programs of the dynamics benchmark.
#
#   build.sh VENV OUT_DIR
#
# VENV is a Python environment with the packages mujoco, pin and cmeel-eigen: their wheels ship the
# headers and libraries that are used here. Programs that are newer than their source are kept
# (pinocchio_bench takes minutes to compile).
set -eu

fail() {
    echo "build.sh: $*" >&2
    exit 1
}

[ $# -eq 2 ] || fail "usage: build.sh VENV OUT_DIR"
venv=$1
out=$2
here=$(cd "$(dirname "$0")" && pwd)
python=$venv/bin/python
[ -x "$python" ] || fail "no Python environment at $venv"
mkdir -p "$out"

site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')

need() {
    command -v "$1" >/dev/null 2>&1 || fail "compiler '$1' not found; install it or set $2"
}

# stale PROGRAM SOURCE STAMP: true when PROGRAM must be compiled again. STAMP names the versions of
# the libraries and the flags, so an upgraded environment is noticed too.
stale() {
    [ ! -x "$1" ] || [ -n "$(find "$2" -newer "$1")" ] || [ "$(cat "$1.stamp" 2>/dev/null)" != "$3" ]
}

optimise="-O3 -march=native -DNDEBUG"

# MuJoCo
mujoco=$site/mujoco
library=$(find "$mujoco" -maxdepth 1 -name 'libmujoco.*' | head -n 1)
[ -n "$library" ] || fail "no MuJoCo library in $mujoco: pip install mujoco"
stamp="$library $optimise"
for name in mujoco_bench mujoco_physics mujoco_strides; do
    program=$out/$name
    if stale "$program" "$here/$name.c" "$stamp"; then
        cc=${CC:-cc}
        need "$cc" CC
        echo "compiling $name"
        # The wheel has no libmujoco.so link for -l, hence the file itself.
        # shellcheck disable=SC2086
        "$cc" -std=c11 $optimise -Wall -Wextra -isystem "$mujoco/include" "$here/$name.c" \
            -o "$program" "$library" -Wl,-rpath,"$mujoco" -lm -lpthread
        printf '%s' "$stamp" >"$program.stamp"
    fi
done

# Pinocchio, from its headers so that it is compiled for this processor like everything else
prefix=$site/cmeel.prefix
[ -f "$prefix/include/pinocchio/config.hpp" ] || fail "no Pinocchio in $prefix: pip install pin"
[ -d "$prefix/include/eigen3" ] || fail "no Eigen in $prefix: pip install cmeel-eigen"
program=$out/pinocchio_bench
version=$(sed -n 's/^# *define PINOCCHIO_VERSION "\(.*\)"/\1/p' "$prefix/include/pinocchio/config.hpp")
# Pinocchio's joint variant is longer than the limits Boost ships with.
boost="-DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_LIMIT_VECTOR_SIZE=30"
boost="$boost -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS -DBOOST_FUSION_INVOKE_MAX_ARITY=12"
stamp="$prefix $version $optimise"
if stale "$program" "$here/pinocchio_bench.cpp" "$stamp"; then
    cxx=${CXX:-c++}
    need "$cxx" CXX
    echo "compiling pinocchio_bench (takes a few minutes)"
    # -w: GCC warns at length about code of Eigen that it has inlined.
    # shellcheck disable=SC2086
    "$cxx" -std=c++17 -w $optimise $boost -isystem "$prefix/include" -isystem "$prefix/include/eigen3" \
        -isystem "$prefix/include/pinocchio/deprecated" "$here/pinocchio_bench.cpp" -o "$program" \
        -L"$prefix/lib" -lboost_serialization -Wl,-rpath,"$prefix/lib"
    printf '%s' "$stamp" >"$program.stamp"
fi
