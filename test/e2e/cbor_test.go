package e2e

import (
	"os"
	"os/exec"
	"testing"
)

// Every method again, with server and clients that speak CBOR. client-go reads its variables once in a process, so
// there is another one for this.
func TestVerbsInCBOR(t *testing.T) {
	if prefersCBOR {
		t.Skip("this is that process")
	}
	t.Parallel()
	file, err := os.Executable()
	must(t, err)
	cmd := exec.CommandContext(limit(t), file, "-test.run=^TestVerbs$", "-test.v")
	cmd.Env = append(os.Environ(), "E2E_APISERVER="+binary,
		"KUBE_FEATURE_ClientsAllowCBOR=true", "KUBE_FEATURE_ClientsPreferCBOR=true")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
