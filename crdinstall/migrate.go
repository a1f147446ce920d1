package crdinstall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
)

const (
	pageSize = 500 // objects in a list, of which only metadata is read
	writers  = 8   // requests at once
	// settled is how long after a change of a definition every API server of a cluster knows of it. Servers themselves
	// wait as long before they call a definition established.
	settled = 5 * time.Second
)

// migrateObjects makes the storage version of a definition the only one in which objects are stored, and returns how
// many objects this program has rewritten.
func (in *installer) migrateObjects(ctx context.Context, name string) (rewritten int, err error) {
	for {
		d, err := in.live(ctx, name)
		if err != nil {
			return rewritten, err
		}
		if len(others(d.stored(), d.storage())) == 0 {
			return rewritten, nil
		}
		if err := in.settle(ctx, d); err != nil {
			return rewritten, err
		}
		done, err := in.request(ctx, d)
		if err != nil {
			return rewritten, err
		}
		if !done {
			n, err := in.rewrite(ctx, d)
			rewritten += n
			if err != nil {
				return rewritten, err
			}
		}
		if err := in.clear(ctx, d); err != nil {
			return rewritten, err
		}
	}
}

// live returns the definition on the server.
func (in *installer) live(ctx context.Context, name string) (d definition, err error) {
	err = in.repeat(ctx, func() error {
		d.Unstructured, err = in.client.Get(ctx, name, metav1.GetOptions{})
		return err
	})
	return d, err
}

// settle waits until no API server stores objects in another version because it has not seen the last change yet. It
// takes the time of this change from the server, so with a clock that is wrong it may wait less.
func (in *installer) settle(ctx context.Context, d definition) error {
	last := d.GetCreationTimestamp().Time
	for _, entry := range d.GetManagedFields() {
		if entry.Subresource == "" && entry.Time != nil && entry.Time.After(last) {
			last = entry.Time.Time
		}
	}
	// the server has cut the fraction of a second off
	return pause(ctx, min(settled, max(0, settled+time.Second-time.Since(last))))
}

// rewrite makes the server store each object again, page by page, by patches that change nothing. The server stores an
// object only if the bytes differ, in any version but the storage version. Another program may write the same objects:
// what it writes is in the storage version, too.
func (in *installer) rewrite(ctx context.Context, d definition) (rewritten int, err error) {
	served := d.served()
	if len(served) == 0 {
		return 0, errors.New("no version is served, so that no object can be read and migrated; serve one")
	}
	version := served[0]
	if slices.Contains(served, d.storage()) {
		version = d.storage() // no conversion of the response
	}
	objects := in.metadata.Resource(d.resource(version))
	for options := (metav1.ListOptions{Limit: pageSize}); ; {
		var page *metav1.PartialObjectMetadataList
		err := in.repeat(ctx, func() (err error) {
			page, err = objects.List(ctx, options)
			return err
		})
		if apierrors.IsResourceExpired(err) && options.Continue != "" {
			// Objects created since then are in the storage version, so it may go on with another state of the list. If
			// the server does not say where, it begins again.
			var status *apierrors.StatusError
			options.Continue = ""
			if errors.As(err, &status) {
				options.Continue = status.ErrStatus.Continue
			}
			continue
		}
		if err != nil {
			return rewritten, err
		}
		n, err := in.touch(ctx, objects, page.Items)
		rewritten += n
		if err != nil || page.Continue == "" {
			return rewritten, err
		}
		options.Continue = page.Continue
	}
}

// touch writes the objects of a page, and returns how many of them exist.
func (in *installer) touch(ctx context.Context, objects metadata.Getter, items []metav1.PartialObjectMetadata) (int, error) {
	var written atomic.Int64
	var group sync.WaitGroup
	errs := make([]error, writers)
	for w := range writers {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := w; i < len(items) && errs[w] == nil; i += writers {
				of := items[i]
				// Without a resourceVersion, the server itself tries again if the object has changed; if that happens
				// too often, it is a conflict.
				err := in.repeat(ctx, func() error {
					_, err := objects.Namespace(of.Namespace).Patch(ctx, of.Name, types.MergePatchType, []byte("{}"), metav1.PatchOptions{})
					return err
				})
				switch {
				case err == nil:
					written.Add(1)
				case !apierrors.IsNotFound(err):
					name := types.NamespacedName{Namespace: of.Namespace, Name: of.Name}
					errs[w] = fmt.Errorf("object %s: %w", name, err)
					if apierrors.IsInvalid(err) { // but not if a webhook is down: nobody is to delete an object then
						errs[w] = fmt.Errorf("%w; correct or delete it, and install again", errs[w])
					}
				}
			}
		}()
	}
	group.Wait()
	for _, err := range errs {
		if err != nil && !apierrors.IsInvalid(err) {
			return int(written.Load()), err // the same for all writers
		}
	}
	return int(written.Load()), errors.Join(errs...)
}

// clear removes all versions but the storage version from status.storedVersions. It does nothing if the definition has
// changed since the migration began: then, objects may have been stored in another version meanwhile.
func (in *installer) clear(ctx context.Context, d definition) error {
	return in.repeat(ctx, func() error {
		now, err := in.client.Get(ctx, d.GetName(), metav1.GetOptions{})
		if err != nil || now.GetGeneration() != d.GetGeneration() || now.GetUID() != d.GetUID() {
			return err
		}
		patch, err := json.Marshal(map[string]any{
			"metadata": map[string]any{"resourceVersion": now.GetResourceVersion(), "uid": now.GetUID()},
			"status":   map[string]any{"storedVersions": []string{d.storage()}},
		})
		if err != nil {
			return err
		}
		_, err = in.client.Patch(
			ctx, d.GetName(), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: in.manager}, "status",
		)
		return err
	})
}
