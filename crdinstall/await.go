package crdinstall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// await returns once the server serves a definition. The names come from the definition at each time, so that it also
// ends if another program upgrades it.
func (in *installer) await(ctx context.Context, i *installation) error {
	err := in.repeat(ctx, func() error { return in.served(ctx, i.ours.GetName()) })
	if errors.As(err, new(pending)) && ctx.Err() == nil {
		return fmt.Errorf("not served after %v: %w", in.timeout, err)
	}
	return err
}

// served returns what a definition waits for as an error that is pending.
func (in *installer) served(ctx context.Context, name string) error {
	waits := func(format string, args ...any) error { return pending{error: fmt.Errorf(format, args...)} }
	now, err := in.client.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	d := definition{now}
	if err := d.goes(); err != nil {
		return err
	}
	for _, c := range []struct{ condition, remedy string }{
		{"NamesAccepted", "rename the kind, or remove the definition that has these names"},
		{"Established", "see the conditions of the definition"},
	} {
		if status, message := d.condition(c.condition); status != "True" {
			return waits("condition %s is %q, %q; %s", c.condition, status, message, c.remedy)
		}
	}
	for _, version := range d.served() {
		gv := d.resource(version).GroupVersion().String()
		var list metav1.APIResourceList
		if err := in.discover(ctx, gv, &list); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		found := false
		for _, resource := range list.APIResources {
			found = found || resource.Name == d.plural()
		}
		if !found {
			return waits("discovery of %s lacks %s; see the conditions of the definition", gv, d.plural())
		}
	}
	return nil
}

// goes returns an error that is pending if the server is deleting a definition.
func (d definition) goes() error {
	if d.GetDeletionTimestamp() == nil {
		return nil
	}
	return pending{error: errors.New("the installed definition is being deleted; if it stays, see its finalizers and conditions")}
}

// discover reads what the server says of a group, or of a version in it.
func (in *installer) discover(ctx context.Context, group string, into any) error {
	result := in.discovery.RESTClient().Get().AbsPath("/apis/" + group).Do(ctx)
	if err := result.Error(); err != nil { // of Raw would lack the message of the server
		return err
	}
	text, _ := result.Raw()
	return json.Unmarshal(text, into)
}
