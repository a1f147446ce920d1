#!/usr/bin/env bash
# The functions of k8s.io/code-generator's kube_codegen.sh (v0.37), run by kubegen. Source this file:
#
#   source "$(go list -m -f '{{.Dir}}' github.com/kubegen/kubegen)/kube_codegen.sh"
#   kube::codegen::gen_client --with-watch --output-dir pkg/generated --output-pkg example.com/api/pkg/generated ./apis
#
# None of them needs k8s.io/code-generator.

# As in upstream's script, the caller stops at the first failure.
set -o errexit
set -o nounset
set -o pipefail

KUBEGEN_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)"

# kube::codegen::gen_client [flags] DIR generates clients for the types below DIR. It takes the flags of upstream:
# --output-dir and --output-pkg, which are required, --one-input-api, --boilerplate, --clientset-name, --versioned-name,
# --with-applyconfig, --applyconfig-name, --applyconfig-externals, --applyconfig-openapi-schema, --with-watch,
# --listers-name, --informers-name, --plural-exceptions, --prefers-protobuf and --lint-rules. KUBE_VERBOSE is kubegen's -v.
function kube::codegen::gen_client() {
    local dir="" out="" pkg="" api="" watch=false apply=false
    local args=(--classic --kube-codegen="$PWD")
    while (($#)); do
        case "$1" in
        --with-watch) watch=true ;;
        --with-applyconfig) apply=true ;;
        --prefers-protobuf) args+=("$1") ;;
        --one-input-api | --output-dir | --output-pkg | --boilerplate | --clientset-name | --versioned-name | --applyconfig-name | \
            --applyconfig-externals | --applyconfig-openapi-schema | --listers-name | --informers-name | --plural-exceptions | --lint-rules)
            kube::codegen::internal::valued gen_client "$@" || return
            case "$1" in
            --one-input-api) api="$2" ;;
            --output-dir) out="$2" ;;
            --output-pkg) pkg="$2" ;;
            --boilerplate | --applyconfig-openapi-schema)
                [ -z "$2" ] || args+=("$1" "$(kube::codegen::internal::absolute "$2")")
                ;;
            *) [ -z "$2" ] || args+=("$1" "$2") ;;
            esac
            shift
            ;;
        *) kube::codegen::internal::place gen_client "$1" || return ;;
        esac
        shift
    done
    kube::codegen::internal::complete gen_client || return
    kube::codegen::internal::exists gen_client "$dir${api:+/$api}" || return 0
    if ! kube::codegen::internal::marked genclient "$dir${api:+/$api}"; then
        return 0 # no type is marked, which is not an error here
    fi
    out="$(kube::codegen::internal::absolute "$out")"
    # Run in the module of the types, which may be another than that of the current directory and even than that of dir.
    local module
    module="$(kube::codegen::internal::module genclient "$dir" "$api")"
    if [ -n "$module" ]; then
        dir="$dir/$module"
        api="./$api"
        [[ "$api" == "$module"/* ]] || api="$module/"
        api="${api#"$module"/}"
    fi
    if [ -n "$api" ]; then
        args+=(--one-input-api "$api")
    fi
    kube::codegen::internal::kubegen "$dir" -v "${KUBE_VERBOSE:-0}" --with-watch="$watch" --with-applyconfig="$apply" \
        --output-dir "$out" --output-pkg "$pkg" ${args[@]+"${args[@]}"} ./...
}

# kube::codegen::gen_helpers [flags] DIR generates DeepCopy methods for the types below DIR that are marked
# +k8s:deepcopy-gen, and defaults and conversion functions for the packages marked +k8s:defaulter-gen and
# +k8s:conversion-gen. The flags are those of upstream: --boilerplate, --lint-rules and --extra-peer-dir. It refuses
# packages marked +k8s:validation-gen.
function kube::codegen::gen_helpers() {
    local dir="" args=()
    kube::codegen::internal::beside gen_helpers "$@" || return
    kube::codegen::internal::exists gen_helpers "$dir" || return 0
    if kube::codegen::internal::marked 'k8s:validation-gen=' "$dir"; then
        echo "kube::codegen::gen_helpers: packages are marked +k8s:validation-gen, which kubegen does not replace: run validation-gen for them, and kubegen with --with-deepcopy, --with-defaults and --with-conversion for the rest" >&2
        return 1
    fi
    kube::codegen::internal::marking deepcopy
    kube::codegen::internal::marking defaulter
    kube::codegen::internal::marking conversion
}

# kube::codegen::gen_register [flags] DIR registers the types of the packages below DIR that are marked +groupName. The flags
# are those of upstream: --boilerplate and --lint-rules.
function kube::codegen::gen_register() {
    local dir="" args=()
    kube::codegen::internal::beside gen_register "$@" || return
    kube::codegen::internal::exists gen_register "$dir" || return 0
    kube::codegen::internal::marking register 'groupName'
}

# kube::codegen::gen_openapi [flags] DIR generates OpenAPI definitions for the packages below DIR with a marker of
# openapi-gen, and for those that all API types use. The flags are those of upstream: --output-dir and --output-pkg, which are
# required, --extra-pkgs, --report-filename, --update-report, --output-model-name-file and --boilerplate. It fails if the
# violations of API rules are not those in the report.
function kube::codegen::gen_openapi() {
    local dir="" out="" pkg="" report=/dev/null new="" update="" names=false args=() code=0 below
    local packages=(k8s.io/apimachinery/pkg/{apis/meta/v1,runtime,version,api/resource})
    while (($#)); do
        case "$1" in
        --update-report) update=true ;;
        --output-dir | --output-pkg | --extra-pkgs | --report-filename | --output-model-name-file | --boilerplate)
            kube::codegen::internal::valued gen_openapi "$@" || return
            case "$1" in
            --output-dir) out="$(kube::codegen::internal::absolute "$2")" ;;
            --output-pkg) pkg="$2" ;;
            --extra-pkgs) IFS=, read -ra below <<<"$2" && packages+=("${below[@]}") ;;
            --report-filename) [ "$2" = - ] && report=- || report="$(kube::codegen::internal::absolute "$2")" ;;
            --output-model-name-file) names="$2" ;;
            --boilerplate) [ -z "$2" ] || args+=("$1" "$(kube::codegen::internal::absolute "$2")") ;;
            esac
            shift
            ;;
        *) kube::codegen::internal::place gen_openapi "$1" || return ;;
        esac
        shift
    done
    kube::codegen::internal::complete gen_openapi || return
    kube::codegen::internal::exists gen_openapi "$dir" || return 0
    while read -r below; do
        packages+=("$below")
    done < <(cd "$dir" && kube::codegen::internal::grep -l 'k8s:openapi' . | sed 's|/[^/]*$||' | LC_ALL=C sort -u)
    case "${packages[*]}" in
    *" ."*) ;;
    *) return 0 ;;
    esac
    new="$(mktemp -d)"
    [ "$report" = - ] && args+=(--openapi-report=-) || args+=(--openapi-report="$new/report")
    kube::codegen::internal::kubegen "$dir" --classic --kube-codegen="$PWD" -v "${KUBE_VERBOSE:-0}" --only openapi \
        --with-openapi-definitions="$out" --output-dir "$out" --output-pkg "$pkg" --openapi-model-names="$names" \
        ${args[@]+"${args[@]}"} "${packages[@]}" || code=$?
    if ((code == 0)) && [ "$report" != - ] && [ "$report" != /dev/null ]; then
        [ -e "$report" ] && [ -z "$update" ] || touch "$report"
        if [ -n "$update" ]; then
            cp "$new/report" "$report"
        elif ! diff -u "$report" "$new/report"; then
            echo "kube::codegen::gen_openapi: the violations of API rules are not those in $report: mend the types, or set --update-report" >&2
            code=1
        fi
    fi
    rm -rf "$new"
    return "$code"
}

# kube::codegen::internal::beside FUNCTION ARGS... reads the arguments of a function that generates files beside the types,
# into dir and, as flags of kubegen, args.
function kube::codegen::internal::beside() {
    local function="$1"
    shift
    args=(--classic --kube-codegen="$PWD" -v "${KUBE_VERBOSE:-0}")
    while (($#)); do
        case "$1" in
        --boilerplate | --lint-rules | --extra-peer-dir)
            kube::codegen::internal::valued "$function" "$@" || return
            case "$1" in
            --boilerplate) [ -z "$2" ] || args+=("$1" "$(kube::codegen::internal::absolute "$2")") ;;
            --lint-rules) [ -z "$2" ] || args+=("$1" "$2") ;;
            --extra-peer-dir) [ -z "$2" ] || args+=(--extra-peer-dirs "$2") ;;
            esac
            shift
            ;;
        *) kube::codegen::internal::place "$function" "$1" || return ;;
        esac
        shift
    done
    if [ -z "$dir" ]; then
        echo "kube::codegen::$function: the directory of the types is required" >&2
        return 1
    fi
}

# kube::codegen::internal::marking GENERATOR [MARKER] runs a generator if a Go file below dir has a marker, by default the one
# of the tool that it replaces. It uses the variables that kube::codegen::internal::beside has set.
function kube::codegen::internal::marking() {
    local marker="${2:-k8s:$1-gen=}" module
    if kube::codegen::internal::marked "$marker" "$dir"; then
        module="$(kube::codegen::internal::module "$marker" "$dir")"
        kube::codegen::internal::kubegen "$dir/$module" --only "$1" "${args[@]}" ./...
    fi
}

# kube::codegen::internal::valued FUNCTION FLAG [VALUE...] fails if a flag is the last argument.
function kube::codegen::internal::valued() {
    if (($# < 3)); then
        echo "kube::codegen::$1: $2 requires a value" >&2
        return 1
    fi
}

# kube::codegen::internal::place FUNCTION ARG sets dir to an argument that is no known flag. It fails for other flags, and for
# a second directory.
function kube::codegen::internal::place() {
    case "$2" in
    --*)
        kube::codegen::internal::unknown "$1" "$2"
        return 1
        ;;
    esac
    if [ -n "$dir" ]; then
        echo "kube::codegen::$1: only one directory is allowed, not both $dir and $2" >&2
        return 1
    fi
    dir="$2"
}

# kube::codegen::internal::complete FUNCTION fails unless dir, out and pkg are set.
function kube::codegen::internal::complete() {
    if [ -z "$dir" ] || [ -z "$out" ] || [ -z "$pkg" ]; then
        echo "kube::codegen::$1: --output-dir, --output-pkg and the directory of the types are required" >&2
        return 1
    fi
}

# kube::codegen::internal::unknown FUNCTION FLAG reports an unknown flag.
function kube::codegen::internal::unknown() {
    local advice=""
    case "${2#--}" in
    input-pkg-root | output-pkg-root | output-base) # up to v0.29
        advice=": since v0.30, the directory of the types is an argument, and --output-dir and --output-pkg name the output"
        ;;
    esac
    echo "kube::codegen::$1: unknown flag $2$advice" >&2
}

# kube::codegen::internal::grep FLAGS MARKER DIR finds the Go files below DIR that have a marker, a regular expression, except
# in the directories that upstream leaves out.
function kube::codegen::internal::grep() {
    grep -rE "$1" "^[[:space:]]*//[[:space:]]*\\+($2)" --include '*.go' --exclude-dir .git --exclude-dir _output --exclude-dir vendor "$3"
}

# kube::codegen::internal::marked MARKER DIR reports whether a Go file below DIR has a marker.
function kube::codegen::internal::marked() { kube::codegen::internal::grep -q "$1" "$2"; }

# kube::codegen::internal::exists FUNCTION DIR reports whether DIR is a directory, and warns if not. As in upstream's script,
# this is not an error.
function kube::codegen::internal::exists() {
    if [ ! -d "$2" ]; then
        echo "kube::codegen::$1: warning: there is no directory $2, so nothing is generated: name the directory of the types" >&2
        return 1
    fi
}

# kube::codegen::internal::module MARKER DIR [API] prints the module below DIR that has all files with a marker, a regular
# expression, below DIR/API, as a path relative to DIR. It prints nothing if they are in DIR's own module, or in several.
function kube::codegen::internal::module() {
    local file at found=""
    while read -r file; do
        at="${file%/*}"
        while [ "$at" != . ] && [ ! -f "$2/$at/go.mod" ]; do
            at="${at%/*}"
        done
        if [ "$at" = . ] || [ "$at" != "${found:-$at}" ]; then
            return 0
        fi
        found="$at"
    done < <(cd "$2" && kube::codegen::internal::grep -l "$1" "./${3:-}")
    echo "$found"
}

# kube::codegen::internal::kubegen DIR ARGS... runs kubegen in DIR: the program $KUBEGEN if set, else the tool of
# go.mod, else one that it builds for this call.
function kube::codegen::internal::kubegen() {
    local dir="$1" bin="${KUBEGEN:-}" temp="" code=0
    shift
    if [ -z "$bin" ]; then
        bin="$(go tool -n kubegen 2>/dev/null || true)"
    elif ! bin="$(command -v "$bin")"; then
        echo "KUBEGEN=$KUBEGEN is not a program: set it to the path of kubegen, or unset it" >&2
        return 1
    fi
    if [ ! -x "$bin" ]; then
        temp="$(mktemp -d)"
        bin="$temp/kubegen"
        (cd "$KUBEGEN_ROOT" && GOWORK=off GOFLAGS=-mod=readonly go build -o "$bin" ./cmd/kubegen) || code=$?
    fi
    if ((code == 0)); then
        kube::codegen::internal::once "$dir" "$bin" "$@" || code=$?
    fi
    if [ -n "$temp" ]; then
        rm -rf "$temp"
    fi
    return "$code"
}

# kube::codegen::internal::once DIR COMMAND ARGS... runs a command in DIR, without the warnings and notes that an earlier one
# in this shell printed: several functions read the same types. They begin with the name of a file, relative to the current
# directory.
KUBEGEN_SAID=""
function kube::codegen::internal::once() {
    local dir="$1" line code=1
    shift
    {
        while IFS= read -r line; do
            case "$line" in
            "kube::codegen: exit code "*) code="${line##* }" ;;
            *"exported API: "*) echo "$line" >&2 ;; # a list follows
            *": warning: "* | *": note: "* | "warning: "* | "note: "*)
                case "$KUBEGEN_SAID" in
                *"<$PWD/$line>"*) ;;
                *)
                    KUBEGEN_SAID="$KUBEGEN_SAID<$PWD/$line>"
                    echo "$line" >&2
                    ;;
                esac
                ;;
            *) echo "$line" >&2 ;;
            esac
        done < <(
            status=0
            (cd "$dir" && "$@") 2>&1 >&3 || status=$?
            echo "kube::codegen: exit code $status"
        )
    } 3>&1
    return "$code"
}

# kube::codegen::internal::absolute PATH prints the absolute path of a file that need not exist.
function kube::codegen::internal::absolute() {
    case "$1" in
    /*) echo "$1" ;;
    *) echo "$PWD/$1" ;;
    esac
}

# Upstream's script does nothing either when it is run like generate-groups.sh, its predecessor.
if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    echo "kube_codegen.sh: warning: this file generates nothing when it is run: source it and call its functions, such as kube::codegen::gen_client" >&2
fi
