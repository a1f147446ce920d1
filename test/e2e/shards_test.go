package e2e

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// shardInfo is in the lists of custom resources of servers since v0.38, which fakeapi imitates. The server of the tests
// is older.
var shardInfo = regexp.MustCompile(`,?"shardInfo":\{"selector":"[^"]*"\}`)

// TestShards sends lists and watches of shards to an API server with the feature and to fakeapi, and compares the
// answers.
func TestShards(t *testing.T) {
	t.Parallel()
	config, err := startServer(t, newServer(t.TempDir(), crds, "--crds", widgetDefinitions, "--feature-gates", "ShardedListAndWatch=true")).config()
	must(t, err)
	const all = "/apis/" + widgetGroup + "/v1/widgets"
	north := strings.Replace(widgets("v1"), "east", "west", 1)
	const low, high = "'0x0000000000000000', '0x2e00000000000000'", "'0x2e00000000000000', '0x10000000000000000'"
	of := func(path, selector string) rawRequest {
		return rawRequest{"GET", path + "shardSelector=" + url.QueryEscape(selector), "", ""}
	}
	namespaces := func(bounds string) string { return "shardRange(object.metadata.namespace, " + bounds + ")" }
	requests := []rawRequest{
		newWidget("v1", "a", `,"labels":{"x":"y"}`), newWidget("v1", "b", ""),
		{"POST", north, widget("v1", "c", "}"+spec), ""}, {"POST", north, widget("v1", "d", "}"+spec), ""},
	}
	for _, path := range []string{all + "?", all + "?limit=1&", all + "?labelSelector=x&", widgets("v1", "?"), north + "?resourceVersion=0&"} {
		for _, selector := range []string{
			namespaces(low), namespaces(high), namespaces(low) + " || " + namespaces(high), "(" + namespaces(low) + ")||" + namespaces(low),
			"\tshardRange(object . metadata.namespace,\n'0x2e00000000000000', \"0x10000000000000000\" ) ",
			namespaces("'0x3db014f61a15542e', '0x3db014f61a15542f'"), namespaces("'0x3db014f61a15542d', '0x3db014f61a15542e'"),
			"shardRange(object.metadata.uid, '0x0000000000000000', '0x10000000000000000')", "",
		} {
			requests = append(requests, of(path, selector))
		}
	}
	for _, malformed := range []string{
		" ", "all(x)", "a.shardOf(x)", namespaces(low) + " && " + namespaces(high), "shardRange(object.metadata.uid)",
		"shardRange(object.metadata.name, " + low + ")", "shardRange(metadata.uid, " + low + ")", "shardRange(object, " + low + ")",
		namespaces(low) + " || shardRange(object.metadata.uid, " + high + ")", namespaces("'0x0', '0x8000000000000000'"),
		namespaces("'0000000000000000', '0x8000000000000000'"), namespaces("'0x', '0x8000000000000000'"), namespaces("'0x000000000000000G', '0x8000000000000000'"),
		namespaces("'0x0000000000000000', '0x20000000000000000'"), namespaces("'0x0000000000000000', '0x200000000000000000'"),
		namespaces("'0x8000000000000000', '0x8000000000000000'"),
	} {
		requests = append(requests, of(all+"?", malformed), of(all+"?watch=1&", malformed))
	}
	metadata := of(all+"?", namespaces(low))
	metadata.header = asList
	requests = append(requests,
		metadata, of(all+"?watch=1&timeoutSeconds=1&", namespaces(low)),
		of(all+"?watch=1&timeoutSeconds=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&", namespaces(high)),
		rawRequest{"DELETE", widgets("v1", "?shardSelector="+url.QueryEscape(namespaces(high))), "", ""},
		rawRequest{"DELETE", widgets("v1", "?shardSelector="+url.QueryEscape(namespaces(low))), "", ""},
		rawRequest{"GET", all, "", ""},
	)
	want, seconds := serverAnswers(t, widgetKind, config, requests)
	got := fakeapiAnswers(t, widgetKind, rawAPIs(t)[0].make(), requests, seconds)
	for i, rq := range requests {
		listed := strings.Contains(want[i], "List") && strings.Contains(rq.path, "shardRange")
		if listed != shardInfo.MatchString(got[i]) {
			t.Errorf("%s\nthe answer of fakeapi has the selector: %t, want %t\n%s", rq, !listed, listed, got[i])
		}
		if answer := shardInfo.ReplaceAllString(got[i], ""); answer != want[i] {
			t.Errorf("%s\n%s", rq, firstDifference(want[i], answer))
		}
	}
}
