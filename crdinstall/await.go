package crdinstall

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// How often the server is asked: from the first pause to the last one, each twice as long.
const (
	firstPause = 20 * time.Millisecond
	lastPause  = time.Second
)

// await returns once the server serves a definition. The names come from the definition at each time, so that it also
// ends if another program upgrades it.
func (in *installer) await(ctx context.Context, d definition) error {
	deadline := time.Now().Add(in.timeout)
	for wait := firstPause; ; wait = min(2*wait, lastPause) {
		lacks, err := in.lacking(ctx, d.GetName())
		switch {
		case err != nil || lacks == "":
			return err
		case time.Now().After(deadline):
			return fmt.Errorf("not served after %v: %s", in.timeout, lacks)
		}
		if err := pause(ctx, wait); err != nil {
			return fmt.Errorf("%w: %s", err, lacks)
		}
	}
}

// lacking returns what a definition waits for, or "" if it is served.
func (in *installer) lacking(ctx context.Context, name string) (string, error) {
	now, err := in.client.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	d := definition{now}
	for _, c := range []struct{ condition, remedy string }{
		{"NamesAccepted", "rename the kind, or remove the definition that has these names"},
		{"Established", "see the conditions of the definition"},
	} {
		if status, message := d.condition(c.condition); status != "True" {
			return fmt.Sprintf("condition %s is %q, %q; %s", c.condition, status, message, c.remedy), nil
		}
	}
	for _, version := range d.served() {
		gv := d.resource(version).GroupVersion().String()
		var list metav1.APIResourceList
		if err := in.discover(ctx, gv, &list); err != nil && !apierrors.IsNotFound(err) {
			return "", err
		}
		found := false
		for _, resource := range list.APIResources {
			found = found || resource.Name == d.plural()
		}
		if !found {
			return fmt.Sprintf("discovery of %s lacks %s; see the conditions of the definition", gv, d.plural()), nil
		}
	}
	return "", nil
}

// discover reads what the server says of a group, or of a version in it.
func (in *installer) discover(ctx context.Context, group string, into any) error {
	text, err := in.discovery.RESTClient().Get().AbsPath("/apis/" + group).DoRaw(ctx)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
