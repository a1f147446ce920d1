package e2e

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"

	"sigs.k8s.io/yaml"

	stablev1 "github.com/kubegen/kubegen/examples/crontab-types/apis/stable/v1"
	clusterv1 "github.com/kubegen/kubegen/test/e2e/apis/cluster/v1"
)

var update = flag.Bool("update", false, "write the tables of docs/reference/testing-behaviours.md rather than compare them")

// A behaviour is something that a client can see an API server do. Its function is run in several worlds, and its
// record tells them apart.
type behaviour struct {
	name  string   // what the server does
	about []string // what belongs to the behaviour beside names, labels, annotations, spec, status and the reasons of errors
	run   func(*world)
}

// behaviours are all of them, in the groups of docs/reference/testing-behaviours.md.
var behaviours = []struct {
	group      string
	behaviours []behaviour
}{
	{"create", createBehaviours},
	{"read", readBehaviours},
	{"update", updateBehaviours},
	{"status", statusBehaviours},
	{"scale", scaleBehaviours},
	{"patch", patchBehaviours},
	{"apply", applyBehaviours},
	{"delete", deleteBehaviours},
	{"deleteCollection", deleteCollectionBehaviours},
	{"list", listBehaviours},
	{"watch", watchBehaviours},
	{"values", valueBehaviours},
	{"bodies", bodyBehaviours},
	{"requests", requestBehaviours},
	{"combinations", combinationBehaviours},
	{"roles", roleBehaviours},
}

// kinds are those that behaviours are run for.
var kinds = []kind{
	{stablev1.SchemeGroupVersion.WithKind("CronTab"), "crontabs", true},
	{clusterv1.SchemeGroupVersion.WithKind("ClusterCronTab"), "clustercrontabs", false},
}

// do runs a behaviour in a world, at a pace, and returns its record. What goes wrong is a part of it.
func (b behaviour) do(ctx context.Context, w world, pace pacer, flavour string) *record {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.Context, w.pace, w.flavour, w.record = ctx, pace, flavour, &record{}
	if w.kind.namespaced {
		w.namespace = "east"
	}
	func() {
		defer func() {
			switch problem := recover().(type) {
			case nil:
			case gaveUp:
				w.note("%s", problem)
			default:
				w.note("panic: %v\n%s", problem, debug.Stack())
			}
		}()
		b.run(&w)
	}()
	return w.record
}

// TestBehaviours runs every behaviour in the world of the API server and in those of the fakes, for a namespaced and
// a cluster-scoped kind, and compares what they see. fakeapi has to show the same in every detail, to generated and
// dynamic fake clientsets, and to clients that are no fakes; which behaviours the other fakes have,
// docs/reference/testing-behaviours.md says.
func TestBehaviours(t *testing.T) {
	t.Parallel()
	measured := newTable()
	t.Cleanup(func() { measured.check(t) })
	for _, k := range kinds {
		for groups := range slices.Chunk(behaviours, 11) { // each on a server of its own; some behaviours wait for seconds
			t.Run(k.Kind, func(t *testing.T) {
				t.Parallel()
				server := startServer(t, newServer(t.TempDir(), withoutRules(t), "--role", limitedRole))
				real := newServerWorld(t, server, k)
				withControllerRuntime := real.withControllerRuntime(t, server)
				for _, group := range groups {
					t.Run(group.group, func(t *testing.T) {
						for _, b := range group.behaviours {
							t.Run(b.name, func(t *testing.T) {
								for _, flavour := range []string{"typed", "dynamic"} {
									why := differs(k, flavour, group.group+"/"+b.name)
									var want, got *record
									seconds := timed(t, func(pace *stopwatch) {
										real.empty(t)
										want = b.do(limit(t), real, pace, flavour)
									})
									inBubble(t, seconds, func(t *testing.T, pace *replay) { got = b.do(limit(t), newFakeapiWorld(k), pace, flavour) })
									problem := difference("server", want.text(lens{all: true}), "fakeapi", got.text(lens{all: true}))
									switch {
									case problem != "" && why == "":
										t.Errorf("by the %s client\n%s", flavour, problem)
									case problem == "" && why != "":
										t.Errorf("by the %s client: this no longer differs; take it out of differences (%s)", flavour, why)
									case why != "":
										t.Logf("%s\n%s", why, problem)
									}
									measured.set(group.group, b.name, fakeapiClientset, problem == "", why)
									same := func(column string, want *record, seconds []int64, newWorld func(kind) world) {
										inBubble(t, seconds, func(t *testing.T, pace *replay) { got = b.do(limit(t), newWorld(k), pace, flavour) })
										problem := difference("server", want.text(lens{all: true}), column, got.text(lens{all: true}))
										if problem != "" {
											t.Errorf("by the %s client\n%s", flavour, problem)
										}
										measured.set(group.group, b.name, column, problem == "", "")
									}
									same(fakeapiREST, want, seconds, newFakeapiRESTWorld)
									if flavour == "dynamic" {
										continue
									}
									about := lens{about: b.about}
									var seen *record // by the client of controller-runtime
									secondsSeen := timed(t, func(pace *stopwatch) {
										real.empty(t)
										seen = b.do(limit(t), withControllerRuntime, pace, flavour)
									})
									if seen.panicked() {
										measured.notOffered(group.group, b.name, fakeapiControllerRuntime)
									} else {
										same(fakeapiControllerRuntime, seen, secondsSeen, newFakeapiControllerRuntimeWorld)
									}
									for _, fake := range fakes {
										if fake.name == "controller-runtime" && !slices.Equal(seen.text(about), want.text(about)) {
											t.Logf("not offered:\n%s", difference("client-go", want.text(about), fake.name, seen.text(about)))
											measured.notOffered(group.group, b.name, fake.name)
											continue
										}
										inBubble(t, seconds, func(t *testing.T, pace *replay) { got = b.do(limit(t), fake.world(k), pace, flavour) })
										same := slices.Equal(got.text(about), want.text(about))
										if !same {
											t.Logf("without fakeapi:\n%s", difference("server", want.text(about), fake.name, got.text(about)))
										}
										measured.set(group.group, b.name, fake.name, same, "")
									}
								}
							})
						}
					})
				}
			})
		}
	}
}

// withoutRules returns a directory with the definitions of the example and of this suite, without the rules and
// defaults of their schemas, which the fakes do not have.
func withoutRules(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	files, err := filepath.Glob(filepath.Join(crds, "*.yaml"))
	must(t, err)
	own, err := filepath.Glob("crds/*.yaml")
	must(t, err)
	for _, file := range append(files, own...) {
		content, err := os.ReadFile(file)
		must(t, err)
		var definition map[string]any
		must(t, yaml.Unmarshal(content, &definition))
		removeRules(definition, nil)
		content, err = yaml.Marshal(definition)
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), content, 0o600))
	}
	return dir
}

// removeRules removes rules from what a definition consists of. Elements of a list that is a map need their keys.
func removeRules(v any, keys any) {
	switch v := v.(type) {
	case map[string]any:
		if _, ok := v["type"].(string); ok {
			for _, rule := range []string{"x-kubernetes-validations", "default", "pattern", "minLength", "maxLength", "minimum", "enum", "required"} {
				delete(v, rule)
			}
			if keys != nil {
				v["required"] = keys
			}
		}
		for field, element := range v {
			keys = nil
			if field == "items" {
				keys = v["x-kubernetes-list-map-keys"]
			}
			removeRules(element, keys)
		}
	case []any:
		for _, element := range v {
			removeRules(element, nil)
		}
	}
}
