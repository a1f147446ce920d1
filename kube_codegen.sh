#!/usr/bin/env bash
# The functions of k8s.io/code-generator's kube_codegen.sh (v0.37); gen_client runs kubegen. Source this file:
#
#   source "$(go list -m -f '{{.Dir}}' github.com/kubegen/kubegen)/kube_codegen.sh"
#   kube::codegen::gen_client --with-watch --output-dir pkg/generated --output-pkg example.com/api/pkg/generated ./apis
#
# The other functions call those of k8s.io/code-generator, which go.mod must require to use them.

KUBEGEN_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)"

# kube::codegen::gen_client [flags] DIR generates clients for the types below DIR. It takes the flags of upstream:
# --output-dir and --output-pkg, which are required, --one-input-api, --boilerplate, --clientset-name, --versioned-name,
# --with-applyconfig, --applyconfig-name, --applyconfig-externals, --applyconfig-openapi-schema, --with-watch,
# --listers-name, --informers-name, --plural-exceptions, --prefers-protobuf and --lint-rules. KUBE_VERBOSE is kubegen's -v.
function kube::codegen::gen_client() {
    local dir="" out="" pkg="" api="" watch=false apply=false
    local args=(--classic)
    while (($#)); do
        case "$1" in
        --with-watch) watch=true ;;
        --with-applyconfig) apply=true ;;
        --prefers-protobuf) args+=("$1") ;;
        --one-input-api | --output-dir | --output-pkg | --boilerplate | --clientset-name | --versioned-name | --applyconfig-name | \
            --applyconfig-externals | --applyconfig-openapi-schema | --listers-name | --informers-name | --plural-exceptions | --lint-rules)
            if (($# < 2)); then
                echo "kube::codegen::gen_client: $1 requires a value" >&2
                return 1
            fi
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
        --*)
            echo "kube::codegen::gen_client: unknown flag $1" >&2
            return 1
            ;;
        *)
            if [ -n "$dir" ]; then
                echo "kube::codegen::gen_client: only one directory is allowed, not both $dir and $1" >&2
                return 1
            fi
            dir="$1"
            ;;
        esac
        shift
    done
    if [ -z "$dir" ] || [ -z "$out" ] || [ -z "$pkg" ]; then
        echo "kube::codegen::gen_client: --output-dir, --output-pkg and the directory of the types are required" >&2
        return 1
    fi
    if ! grep -rqE '^[[:space:]]*//[[:space:]]*\+genclient' --include '*.go' "$dir${api:+/$api}"; then
        return 0 # no type is marked, which is not an error here
    fi
    if [ -n "$api" ]; then
        args+=(--one-input-api "$api")
    fi
    out="$(kube::codegen::internal::absolute "$out")"
    # Run in the directory of the types, which may be in another module than the current directory.
    kube::codegen::internal::kubegen "$dir" -v "${KUBE_VERBOSE:-0}" --with-watch="$watch" --with-applyconfig="$apply" \
        --output-dir "$out" --output-pkg "$pkg" ${args[@]+"${args[@]}"} ./...
}

function kube::codegen::gen_helpers() { kube::codegen::internal::upstream gen_helpers "$@"; }
function kube::codegen::gen_openapi() { kube::codegen::internal::upstream gen_openapi "$@"; }
function kube::codegen::gen_register() { kube::codegen::internal::upstream gen_register "$@"; }

# kube::codegen::internal::kubegen DIR ARGS... runs kubegen in DIR: the binary $KUBEGEN if set, else the tool of
# go.mod, else one that it builds for this call.
function kube::codegen::internal::kubegen() {
    local dir="$1" bin="${KUBEGEN:-}" temp="" code=0
    shift
    if [ -z "$bin" ]; then
        bin="$(go tool -n kubegen 2>/dev/null || true)"
    fi
    if [ ! -x "$bin" ]; then
        temp="$(mktemp -d)"
        bin="$temp/kubegen"
        (cd "$KUBEGEN_ROOT" && GOWORK=off GOFLAGS=-mod=readonly go build -o "$bin" ./cmd/kubegen) || code=$?
    fi
    if ((code == 0)); then
        (cd "$dir" && "$bin" "$@") || code=$?
    fi
    if [ -n "$temp" ]; then
        rm -rf "$temp"
    fi
    return "$code"
}

# kube::codegen::internal::upstream FUNCTION ARGS... calls a function of k8s.io/code-generator's kube_codegen.sh.
function kube::codegen::internal::upstream() {
    local function="$1" root
    shift
    root="$(go list -m -f '{{.Dir}}' k8s.io/code-generator 2>/dev/null || true)"
    if [ ! -f "$root/kube_codegen.sh" ]; then
        echo "kube::codegen::$function calls k8s.io/code-generator, which go.mod does not require: run go get k8s.io/code-generator" >&2
        return 1
    fi
    # shellcheck disable=SC1091 # it is where go.mod says
    (source "$root/kube_codegen.sh" && "kube::codegen::$function" "$@")
}

# kube::codegen::internal::absolute PATH prints the absolute path of a file that need not exist.
function kube::codegen::internal::absolute() {
    case "$1" in
    /*) echo "$1" ;;
    *) echo "$PWD/$1" ;;
    esac
}
