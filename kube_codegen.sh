#!/usr/bin/env bash
# The functions of k8s.io/code-generator's kube_codegen.sh (v0.37), with kubegen behind gen_client. To be sourced:
#
#   source "$(go list -m -f '{{.Dir}}' github.com/kubegen/kubegen)/kube_codegen.sh"
#   kube::codegen::gen_client --with-watch --output-dir pkg/generated --output-pkg example.com/api/pkg/generated ./apis
#
# The other functions are handed on to k8s.io/code-generator, which go.mod must then require.

KUBEGEN_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)"

# kube::codegen::gen_client [flags] DIR generates clients for the types below DIR. Its flags are those of upstream:
# --output-dir and --output-pkg, which must be given, --one-input-api, --boilerplate, --clientset-name, --versioned-name,
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
                echo "kube::codegen::gen_client: $1 wants a value" >&2
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
            echo "kube::codegen::gen_client: there is no flag $1" >&2
            return 1
            ;;
        *)
            if [ -n "$dir" ]; then
                echo "kube::codegen::gen_client: one folder, not $dir and $1" >&2
                return 1
            fi
            dir="$1"
            ;;
        esac
        shift
    done
    if [ -z "$dir" ] || [ -z "$out" ] || [ -z "$pkg" ]; then
        echo "kube::codegen::gen_client: say --output-dir, --output-pkg and the folder of the types" >&2
        return 1
    fi
    if ! grep -rqE '^[[:space:]]*//[[:space:]]*\+genclient' --include '*.go' "$dir${api:+/$api}"; then
        return 0 # nothing is wanted, which is fine here
    fi
    if [ -n "$api" ]; then
        args+=(--one-input-api "$api")
    fi
    out="$(kube::codegen::internal::absolute "$out")"
    # In the folder of the types, whose module need not be that of the current one.
    kube::codegen::internal::kubegen "$dir" -v "${KUBE_VERBOSE:-0}" --with-watch="$watch" --with-applyconfig="$apply" \
        --output-dir "$out" --output-pkg "$pkg" ${args[@]+"${args[@]}"} ./...
}

function kube::codegen::gen_helpers() { kube::codegen::internal::upstream gen_helpers "$@"; }
function kube::codegen::gen_openapi() { kube::codegen::internal::upstream gen_openapi "$@"; }
function kube::codegen::gen_register() { kube::codegen::internal::upstream gen_register "$@"; }

# kube::codegen::internal::kubegen DIR ARGS... runs kubegen in DIR: the one that is on hand as $KUBEGEN, else the tool of
# go.mod, else one that is built for the occasion.
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
        echo "kube::codegen::$function is k8s.io/code-generator's: go get k8s.io/code-generator; for DeepCopy methods alone, controller-gen object does it, too" >&2
        return 1
    fi
    # shellcheck disable=SC1091 # it is where go.mod says
    (source "$root/kube_codegen.sh" && "kube::codegen::$function" "$@")
}

# kube::codegen::internal::absolute PATH prints the absolute path of what need not exist.
function kube::codegen::internal::absolute() {
    case "$1" in
    /*) echo "$1" ;;
    *) echo "$PWD/$1" ;;
    esac
}
