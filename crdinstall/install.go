package crdinstall

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// FieldManager is the owner of the fields that [Install] applies, unless [FieldOwner] names another one.
const FieldManager = "kubegen-crdinstall"

// DefaultTimeout is how long [Install] waits for each definition, unless [Timeout] says otherwise.
const DefaultTimeout = time.Minute

// Action is what [Install] has done with a definition, or would do.
type Action string

// The actions.
const (
	Created   Action = "created"   // the server did not have it
	Updated   Action = "updated"   // the server has it with the changes
	Unchanged Action = "unchanged" // the server had it
	Kept      Action = "kept"      // the installed one is newer, and stays
)

// Result is what [Install] has done with a definition.
type Result struct {
	// Name is the name of the definition, such as crontabs.stable.example.com.
	Name string
	// Action is what was done, or, with [DryRun], what would be done.
	Action Action
	// Changes are the differences that an update makes in all, ordered by path. They are nil for other actions.
	Changes []Change
	// Newer is why an installed definition is newer, for people; "" if the action is not Kept.
	Newer string
	// Migrated are the versions that [Migrate] has removed from status.storedVersions, or would remove, in the order
	// there.
	Migrated []string
	// Rewritten is the number of objects that this program has rewritten. It is 0 if a StorageVersionMigration did.
	Rewritten int
}

// Option changes what [Install] does.
type Option func(*settings)

type settings struct {
	manager, release string
	dryRun, migrate  bool
	timeout          time.Duration
	edit             []func(*unstructured.Unstructured) error
}

// Release states the release of the program: a semantic version such as v1.4.0, with or without v, or what git
// describe prints, such as v1.4.0-3-g2414721, which is later. It is written into [ReleaseAnnotation] of each
// definition. A definition that a later release has installed stays; builds that share a release are compared by
// their versions and fields, as are definitions without one. The default is none.
func Release(version string) Option { return func(s *settings) { s.release = version } }

// FieldOwner names the owner of the fields that are applied. The default is [FieldManager]. Two programs with different
// definitions of the same name must not both install them, whatever the names.
func FieldOwner(manager string) Option { return func(s *settings) { s.manager = manager } }

// DryRun makes the server validate everything and change nothing. Install does not wait then.
func DryRun() Option { return func(s *settings) { s.dryRun = true } }

// Migrate rewrites the objects of each definition in its storage version if status.storedVersions names other versions,
// and removes those there. A version that the definition lacks, but status.storedVersions names, stays until then, as
// does a conversion webhook that the definition no longer has, and is removed afterwards. Install rewrites objects with
// a StorageVersionMigration if the server has them, and itself otherwise. It may be interrupted at any time: the next
// call begins again.
//
// Servers must be able to convert the objects, so a program with a conversion webhook calls Install with Migrate after
// the webhook serves.
func Migrate() Option { return func(s *settings) { s.migrate = true } }

// Timeout limits how long Install waits for each definition to be established and served, and how long it repeats a
// request that the server or the network fails to answer. The default is [DefaultTimeout]. It does not limit migrations
// that run: the context does.
func Timeout(d time.Duration) Option { return func(s *settings) { s.timeout = d } }

// Edit calls a function for each definition before it is compared or installed, such as for the service of a conversion
// webhook in the namespace of the program. The function may change all but the name. Its error ends Install before
// anything is changed.
func Edit(edit func(definition *unstructured.Unstructured) error) Option {
	return func(s *settings) { s.edit = append(s.edit, edit) }
}

// Install installs the CustomResourceDefinitions in the .yaml, .yml and .json files of manifests and in all directories
// there, and returns once each is established and all its served versions are in the server's discovery. It writes all
// of them before it waits. The results are in the order of files, without the definitions that failed.
//
// Install creates a definition that the server lacks, and applies others with server-side apply. Fields of what has
// installed the definition before, such as kubectl apply or Helm, are then its own, so that those which the manifest
// lacks are removed, but not a certificate in spec.conversion. Of fields of other owners, such as a person with kubectl
// edit, it takes over those in the manifest, except for those of spec.conversion: a certificate and a service there
// stay as they are, unless the strategy is None, or the webhook is this program's and the manifest no longer has it.
// Requests name the resourceVersion that Install has compared, so several programs may install at once. Those that fail
// because the server or the network does are repeated for [Timeout].
//
// It changes no definition that is newer, see [Release], and none that lacks a version of status.storedVersions, except
// with [Migrate]. It returns the errors of all definitions, each with the name of its definition and what to do. All
// manifests are read and edited before the first request. If ctx is done, it returns its cause.
func Install(ctx context.Context, config *rest.Config, manifests fs.FS, options ...Option) ([]Result, error) {
	s := settings{manager: FieldManager, timeout: DefaultTimeout}
	for _, set := range options {
		set(&s)
	}
	wanted, err := s.prepare(manifests)
	if err != nil {
		return nil, fmt.Errorf("crdinstall: %w", err)
	}
	in, err := newInstaller(config, s)
	if err != nil {
		return nil, fmt.Errorf("crdinstall: %w", err)
	}
	all := make([]*installation, len(wanted))
	for n, d := range wanted {
		all[n] = &installation{ours: d}
	}
	in.installAll(ctx, all)
	var results []Result
	var errs []error
	for _, i := range all {
		if i.err != nil {
			errs = append(errs, fmt.Errorf("crdinstall: %s: %w", i.ours.GetName(), advise(i.err)))
		} else if i.result.Action != "" { // or ctx was done before
			results = append(results, i.result)
		}
	}
	return results, errors.Join(errs...)
}

// prepare returns the definitions as they are to be installed.
func (s settings) prepare(manifests fs.FS) ([]definition, error) {
	if _, _, err := parseRelease(s.release); s.release != "" && err != nil {
		return nil, fmt.Errorf("release %q is not a semantic version, such as v1.4.0", s.release)
	}
	wanted, err := read(manifests)
	if err != nil {
		return nil, err
	}
	for _, d := range wanted {
		name := d.GetName()
		for _, edit := range s.edit {
			if err := edit(d.Unstructured); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		if err := d.check(); err != nil {
			return nil, err
		}
		if d.GetName() != name {
			return nil, fmt.Errorf("%s: a function of crdinstall.Edit has changed the name to %s", name, d.GetName())
		}
		if s.release != "" {
			d.annotate(ReleaseAnnotation, s.release)
		}
		for _, list := range []string{"shortNames", "categories"} { // or those of other owners would stay
			if _, ok, _ := unstructured.NestedFieldNoCopy(d.Object, "spec", "names", list); !ok {
				_ = unstructured.SetNestedSlice(d.Object, []any{}, "spec", "names", list)
			}
		}
	}
	return wanted, nil
}

// advise adds what to do to the error of a server.
func advise(err error) error {
	if apierrors.IsForbidden(err) {
		return fmt.Errorf("%w; grant the account of this program the rules of the +kubebuilder:rbac markers in the generated package", err)
	}
	return err
}

type installer struct {
	settings
	client    dynamic.NamespaceableResourceInterface
	all       dynamic.Interface
	metadata  metadata.Interface
	discovery discovery.DiscoveryInterface
}

func newInstaller(config *rest.Config, s settings) (*installer, error) {
	config = rest.CopyConfig(config)
	config.AcceptContentTypes, config.ContentType = runtime.ContentTypeJSON, runtime.ContentTypeJSON // for discovery, as it is read here
	if config.QPS == 0 && config.RateLimiter == nil {
		config.QPS = -1 // a migration has a few requests at a time; with 5 each second, the default, it would take hours
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	all, err := dynamic.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, err
	}
	objects, err := metadata.NewForConfigAndClient(metadata.ConfigFor(config), client)
	if err != nil {
		return nil, err
	}
	served, err := discovery.NewDiscoveryClientForConfigAndClient(config, client)
	if err != nil {
		return nil, err
	}
	return &installer{settings: s, client: all.Resource(definitions), all: all, metadata: objects, discovery: served}, nil
}

// An installation is what is done with a definition.
type installation struct {
	ours   definition
	result Result
	err    error
	was    definition // on the server before, if objects are to be migrated
}

// installAll writes all definitions, then waits for them, because a server that needs seconds to establish one
// establishes all meanwhile, and then migrates their objects if that is asked for. It ends if ctx is done.
func (in *installer) installAll(ctx context.Context, all []*installation) {
	steps := []func(context.Context, *installation) error{in.begin, in.await, in.finish}
	switch {
	case in.dryRun:
		steps = steps[:1]
	case !in.migrate:
		steps = steps[:2]
	}
	for _, step := range steps {
		for _, i := range all {
			if i.err != nil {
				continue
			}
			i.err = step(ctx, i)
			if cause := context.Cause(ctx); cause != nil && i.err != nil {
				if !errors.Is(i.err, cause) { // requests may return ctx.Err()
					i.err = fmt.Errorf("%w: %w", cause, i.err)
				}
				return
			}
		}
	}
}

// begin creates or updates a definition.
func (in *installer) begin(ctx context.Context, i *installation) error {
	result, was, _, err := in.write(ctx, i.ours)
	if i.result = result; len(result.Migrated) > 0 {
		i.was = was // and not those of hundreds of definitions
	}
	return err
}

// finish migrates the objects of a definition, and updates it again without the versions and the conversion that had to
// stay until then.
func (in *installer) finish(ctx context.Context, i *installation) (err error) {
	if i.result.Action == Kept {
		return nil
	}
	i.result.Rewritten, err = in.migrateObjects(ctx, i.ours.GetName())
	if err != nil || len(i.result.Migrated) == 0 {
		return err
	}
	_, _, live, err := in.write(ctx, i.ours)
	if err != nil {
		return err
	}
	i.result.compare(i.was, live)
	return in.await(ctx, i)
}

// write creates or updates a definition. was and live are the ones on the server before and after that.
func (in *installer) write(ctx context.Context, ours definition) (result Result, was, live definition, err error) {
	err = in.repeat(ctx, func() error {
		var object *unstructured.Unstructured
		object, err = in.client.Get(ctx, ours.GetName(), metav1.GetOptions{})
		switch was = (definition{object}); {
		case apierrors.IsNotFound(err):
			result = Result{Name: ours.GetName(), Action: Created}
			live.Unstructured, err = in.create(ctx, ours)
		case err == nil:
			result, live, err = in.update(ctx, ours, was)
		}
		return err
	})
	return result, was, live, err
}

// update changes the definition on the server, unless it has changed since it was read.
func (in *installer) update(ctx context.Context, ours, theirs definition) (Result, definition, error) {
	result := Result{Name: ours.GetName()}
	if err := theirs.goes(); err != nil {
		return result, theirs, err
	}
	switch newer, older := age(ours, theirs); {
	case len(newer) > 0 && len(older) > 0:
		return result, theirs, fmt.Errorf(
			"this definition or the installed one may be newer: %s, and %s; give crdinstall.Release, and annotate the installed one with %s",
			newer[0], older[0], ReleaseAnnotation,
		)
	case len(older) > 0:
		result.Action, result.Newer = Kept, older[0]
		return result, theirs, nil
	}
	wanted := ours.copy()
	if err := in.keepStored(wanted, theirs); err != nil {
		return result, theirs, err
	}
	if in.migrate {
		result.Migrated = others(theirs.stored(), wanted.storage())
	}
	if len(result.Migrated) > 0 && !in.dryRun {
		lendConversion(wanted, theirs)
	}
	owned := readOwners(theirs, in.manager)
	owned.keepConversion(wanted, theirs)
	now, err := in.apply(ctx, wanted, theirs, owned)
	if err != nil {
		return result, theirs, err
	}
	if in.dryRun {
		now = now.migrated() // as after the second update
	}
	result.compare(theirs, now)
	return result, now, nil
}

// compare sets the changes between two states of a definition.
func (r *Result) compare(was, now definition) {
	if r.Action, r.Changes = Unchanged, changes(was, now); len(r.Changes) > 0 {
		r.Action = Updated
	}
}

// create creates a definition unless the server has it, for which server-side apply has no condition.
func (in *installer) create(ctx context.Context, ours definition) (*unstructured.Unstructured, error) {
	options := metav1.CreateOptions{FieldManager: in.manager, FieldValidation: metav1.FieldValidationStrict}
	if in.dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	return in.client.Create(ctx, ours.Unstructured, options)
}

// apply applies a definition if that on the server is still the same.
func (in *installer) apply(ctx context.Context, wanted, theirs definition, owned owners) (definition, error) {
	wanted.SetUID(theirs.GetUID()) // or the server would create it again if it is deleted meanwhile, without what others own
	if in.dryRun {                 // which take cannot be
		wanted.SetResourceVersion(theirs.GetResourceVersion())
		patch, err := owned.mergePatch(wanted)
		if err != nil {
			return theirs, err
		}
		options := metav1.PatchOptions{
			FieldManager: in.manager, FieldValidation: metav1.FieldValidationStrict, DryRun: []string{metav1.DryRunAll},
		}
		now, err := in.client.Patch(ctx, wanted.GetName(), types.MergePatchType, patch, options)
		return definition{now}, err
	}
	if owned.before {
		var err error
		if theirs, err = in.take(ctx, theirs, owned); err != nil {
			return theirs, err
		}
	}
	wanted.SetResourceVersion(theirs.GetResourceVersion())
	now, err := in.client.Apply(ctx, wanted.GetName(), wanted.Unstructured, metav1.ApplyOptions{FieldManager: in.manager, Force: true})
	return definition{now}, err
}

// keepStored adds to a definition the versions of the one on the server that it lacks and in which objects may be
// stored, if these are migrated next. Otherwise, such versions are an error.
func (in *installer) keepStored(wanted, theirs definition) error {
	missing := wanted.lacks(theirs.stored())
	unknown := theirs.lacks(missing)
	switch {
	case len(missing) == 0:
		return nil
	case len(unknown) > 0:
		return fmt.Errorf(
			"status.storedVersions names %s, which the installed definition lacks: no server reads objects stored in it, or takes a change; "+
				"remove it there if there are none, or install a release that has it", and(unknown),
		)
	case !in.migrate:
		return fmt.Errorf(
			"it lacks %s, in which objects may be stored: status.storedVersions names it; use crdinstall.Migrate, or a release that still has it",
			and(missing),
		)
	}
	list, _, _ := unstructured.NestedSlice(wanted.Object, "spec", "versions")
	for _, name := range missing {
		kept := runtime.DeepCopyJSON(theirs.find(name))
		kept["storage"] = false
		list = append(list, kept)
	}
	wanted.annotate(keptAnnotation, and(missing))
	return unstructured.SetNestedSlice(wanted.Object, list, "spec", "versions")
}

// others returns the names without one of them.
func others(names []string, but string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == but })
}
