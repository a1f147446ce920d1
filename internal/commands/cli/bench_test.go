package cli

import (
	"bytes"
	"testing"
)

// BenchmarkKubernetesAPI generates everything for all of k8s.io/api, anew each time. test/bench compares with
// the tools of k8s.io/code-generator; this one is for profiles:
//
//	go test ./internal/commands/cli -run - -bench KubernetesAPI -cpuprofile cpu.out
func BenchmarkKubernetesAPI(b *testing.B) {
	for b.Loop() {
		var stdout, stderr bytes.Buffer
		args := []string{"--output-dir", b.TempDir(), "--output-pkg", "example.com/generated", "--plural-exceptions", "Endpoints:Endpoints", "k8s.io/api/..."}
		if code := Main(Kubegen, args, &stdout, &stderr); code != exitDone {
			b.Fatalf("exit code %d: %s", code, stderr.String())
		}
	}
}
