package crontabtypes_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMutants breaks generated code, one statement at a time. Each time, the test that is named with the mutant must
// fail.
//
// All mutants are in one binary, because compiling takes most of the time. An environment variable selects one.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it compiles what is generated, with all mutants")
	}
	const (
		variable   = "CRONTAB_TYPES_MUTANT"
		factory    = "informers/externalversions/factory.go"
		generic    = "informers/externalversions/generic.go"
		options    = "informers/externalversions/options.go"
		waits      = "informers/externalversions/wait.go"
		newForKind = "informers/externalversions/internalinterfaces/factory_interfaces.go"
		feed       = "informers/externalversions/internalinterfaces/feed.go"
		namespaces = "informers/externalversions/internalinterfaces/namespaces.go"
		informer   = "informers/externalversions/stable/v1/crontab.go"
		lister     = "listers/stable/v1/crontab.go"
		indexes    = "listers/stable/v1/crontab_indexes.go"
		runIndexes = "listers/stable/v1/cronrun_indexes.go"
		typed      = "clientset/versioned/typed/stable/v1/crontab_helpers.go"
		helpers    = "clientset/versioned/internal/helpers/helpers.go"
	)
	mutants := []struct{ name, file, old, new, test string }{
		{"ForResource returns the informer of another kind", generic, "informer = f.Stable().V1().CronRuns().Informer()", "informer = f.Stable().V1().CronTabs().Informer()", "TestForResource"},
		{"ForResource returns the informer of a kind with another scope", generic, "informer = f.Stable().V1().CronTabClasses().Informer()", "informer = f.Stable().V1().CronTabs().Informer()", "TestForResource"},

		{"WithCustomResyncConfig is ignored", factory, "factory.customResync[reflect.TypeOf(obj)] = period", "", "TestResync"},
		{"the resync period of the factory is ignored", factory, "period = f.defaultResync", "", "TestResync"},
		{"WithTweakListOptions is ignored", factory, "factory.tweakListOptions = tweakListOptions", "", "TestWithTweakListOptions"},
		{"WithNamespace is ignored", factory, "factory.namespace = namespace", "", "TestWithNamespace"},
		{"WithTransform is ignored", factory, "factory.transform = transform", "", "TestWithTransform"},
		{"informers are not shared", factory, "f.informers[objType] = informer", "", "TestListers"},
		{"Shutdown does not wait", factory, "f.running.Wait()", "", "TestShutdown"},
		{"informers start after Shutdown", factory, "f.shuttingDown = true", "", "TestShutdown"},
		{"WaitForCacheSync does not wait", factory, `cache.WaitFor(ctx, "", checkers...)`, "", "TestWaitForCachesEnds"},
		{"lists are not restricted", newForKind, "tweak(&opts)\n\t\t\t\treturn listFunc(ctx, namespace, opts)", "return listFunc(ctx, namespace, opts)", "TestWithTweakListOptions"},
		{"watches are not restricted", newForKind, "tweak(&opts)\n\t\t\t\treturn watchFunc(ctx, namespace, opts)", "return watchFunc(ctx, namespace, opts)", "TestWithTweakListOptions"},

		{"WithTweakListOptionsFor is ignored", options, "factory.feed(reflect.TypeFor[K]()).TweakListOptions = tweakListOptions", "", "TestOptionsForKinds"},
		{"WithTransformFor is ignored", options, "return transform(object)", "return obj, nil", "TestOptionsForKinds"},
		{"WithResyncFor is ignored", options, "factory.customResync[reflect.TypeFor[K]()] = period", "", "TestOptionsForKinds"},
		{"WithNamespacesFor is ignored", options, "factory.feed(reflect.TypeFor[K]()).Namespaces = namespaces", "", "TestNamespacesForKind"},
		{"all namespaces are one of several", options, "namespaces = []string{metav1.NamespaceAll}", "", "TestNamespacesForKind"},
		{"a watch goes on from what was seen of another namespace", namespaces, "opts.ResourceVersion = n.version(namespace)", "", "TestNamespacesGoOn"},
		{"a list is as of what was seen of another namespace", namespaces, "opts.ResourceVersion = seen", "", "TestNamespacesGoOn"},
		{"WithAwaitedResources is ignored", options, "factory.awaitsResources = true", "", "TestAwaitedResources"},

		{"WaitForCaches returns early", waits, "synced = factory.WaitForCacheSync(ctx.Done())", "", "TestWaitForCachesEnds"},
		{"errors of requests are not recorded", feed, "f.err = err", "", "TestWaitForCachesSaysWhy"},
		{"errors of the end are recorded", feed, "if ctx.Err() != nil {\n\t\treturn\n\t}", "", "TestWaitForCachesAfterTheEnd"},

		{"the index of another field", indexes, "return []string{obj.Spec.Image}", "return []string{obj.Spec.CronSpec}", "TestIndexKeys"},
		{"no key for an empty field", indexes, "return []string{obj.Spec.ClassName}", "if obj.Spec.ClassName == \"\" {\n return nil\n }\n return []string{obj.Spec.ClassName}", "TestIndexes"},
		{"all owners are controllers", runIndexes, "if obj.ObjectMeta.OwnerReferences[i].Controller != nil && *obj.ObjectMeta.OwnerReferences[i].Controller {\n\t\t\tkeys = append(keys, string(obj.ObjectMeta.OwnerReferences[i].UID))\n\t\t}", "keys = append(keys, string(obj.ObjectMeta.OwnerReferences[i].UID))", "TestIndexKeys"},
		{"objects are found in all namespaces", indexes, `name, key = "namespace/"+name, namespace+"/"+key`, "", "TestIndexes"},
		{"a lister reads another index", lister, "return cronTabByIndex(s.indexer, metav1.NamespaceAll, CronTabByClass, class)", "return cronTabByIndex(s.indexer, metav1.NamespaceAll, CronTabByImage, class)", "TestIndexes"},
		{"a namespace lister reads another index", lister, "return cronTabByIndex(s.indexer, s.namespace, CronTabByImage, image)", "return cronTabByIndex(s.indexer, s.namespace, CronTabByClass, image)", "TestIndexes"},
		{"informers of a factory have no indexes", informer, "indexers[cache.NamespaceIndex] = cache.MetaNamespaceIndexFunc", "clear(indexers)", "TestIndexes"},

		{"only one page is read", helpers, "opts.Continue, resumed = read.GetContinue(), false", "return", "TestEach"},
		{"a list ends with its version", helpers, "opts.Continue, resumed = token, true", "yield(none, err)\n return", "TestEachAfterExpiry"},
		{"an update that changes nothing is sent", helpers, "if equality.Semantic.DeepEqual(before, obj) {\n\t\t\treturn obj, nil\n\t\t}", "", "TestUpdateWithRetries"},
		{"the status is updated with the object", typed, "return helpers.Update(ctx, client.Get, client.UpdateStatus, name, change)", "return helpers.Update(ctx, client.Get, client.Update, name, change)", "TestUpdateStatus"},
		{"a wait does not see the deletion", helpers, "obj = none", "", "TestWait"},
		{"a wait ends with its watch", helpers, "return none, false, nil", "return none, true, nil", "TestWait"},
		{"a wait goes on although it is forbidden", helpers, "return code >= 400 && code < 500", "return false", "TestWaitEnds"},
	}

	texts, tests := map[string]string{}, map[string]bool{}
	for _, mutant := range mutants {
		file, err := filepath.Abs(filepath.Join("generated", filepath.FromSlash(mutant.file)))
		if err != nil {
			t.Fatal(err)
		}
		text, known := texts[file]
		if !known {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text = strings.Replace(string(content), "\nimport (", "\nimport environment \"os\"\nimport (", 1)
		}
		if strings.Count(text, mutant.old) != 1 {
			t.Fatalf("%s does not have %q once", mutant.file, mutant.old)
		}
		texts[file] = strings.Replace(text, mutant.old,
			fmt.Sprintf("if environment.Getenv(%q) == %q {\n%s\n} else {\n%s\n}", variable, mutant.name, mutant.new, mutant.old), 1)
		tests[mutant.test] = true
	}
	dir := t.TempDir()
	overlay := map[string]map[string]string{"Replace": {}}
	for file, text := range texts {
		changed := filepath.Join(dir, fmt.Sprint(len(overlay["Replace"]), ".go"))
		if err := os.WriteFile(changed, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		overlay["Replace"][file] = changed
	}
	content, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	overlayFile, binary := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "crontab-types.test")
	if err := os.WriteFile(overlayFile, content, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-overlay", overlayFile, "-ldflags=-s -w", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(mutant, test string) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), binary, "-test.run", "^"+test+"$", "-test.timeout", "1m", "-test.v")
		cmd.Env = append(os.Environ(), variable+"="+mutant)
		return cmd.CombinedOutput()
	}
	for test := range tests {
		t.Run(test+" without mutants", func(t *testing.T) {
			t.Parallel()
			if out, err := run("", test); err != nil || !strings.Contains(string(out), "--- PASS: "+test) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	for _, mutant := range mutants {
		t.Run(mutant.name, func(t *testing.T) {
			t.Parallel()
			out, err := run(mutant.name, mutant.test)
			var exit *exec.ExitError
			switch {
			case err == nil:
				t.Errorf("%s passes\n%s", mutant.test, out)
			case !errors.As(err, &exit) || !strings.Contains(string(out), "--- FAIL: "+mutant.test):
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
