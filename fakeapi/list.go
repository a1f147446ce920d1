package fakeapi

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	internalvalidation "k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// get returns a stored object.
func (a *API) get(r *resource, namespace, name string, opts metav1.GetOptions) (*object, error) {
	v, err := parseVersion(opts.ResourceVersion)
	if err != nil {
		return nil, err
	}
	if v > a.revision {
		return nil, tooLarge(v, a.revision)
	}
	stored := r.find(r.key(namespace, name))
	if stored == nil {
		return nil, apierrors.NewNotFound(r.gvr.GroupResource(), name)
	}
	o, err := r.load(stored)
	if err != nil {
		return nil, r.corrupt(stored, err)
	}
	return o, nil
}

// parseVersion parses the resource version of a request. It returns 0 for "" and "0", which request no particular
// version.
func parseVersion(version string) (uint64, error) {
	if version == "" || version == "0" {
		return 0, nil
	}
	v, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return 0, errors.New(field.Invalid(field.NewPath("resourceVersion"), version, err.Error()).Error())
	}
	return v, nil
}

// A page is the result of a list request.
type page struct {
	objects []*object
	meta    listMeta
}

// list returns the objects selected by options.
func (a *API) list(r *resource, namespace string, opts metav1.ListOptions) (*page, error) {
	opts.Watch = false
	if err := validateListOptions(opts); err != nil {
		return nil, err
	}
	s, err := r.selector(namespace, opts)
	if err != nil {
		return nil, err
	}
	if s.shard, err = a.shard(opts); err != nil {
		return nil, err
	}
	revision, start, err := a.startOfList(r, opts)
	if err != nil {
		return nil, err
	}
	candidates := r.all()
	if revision < a.revision {
		candidates = r.snapshot(revision)
	}
	candidates = inNamespace(candidates, s.namespace)
	if start != "" {
		candidates = candidates[place(candidates, start):]
	}
	limit := int(opts.Limit)
	name, named := s.fields.RequiresExactMatch("metadata.name")
	if named && r.namespaced == (s.namespace != "") && opts.Continue == "" { // a server reads this object alone
		key := r.key(s.namespace, name)
		candidates = candidates[place(candidates, key):place(candidates, key+"\x00")]
		limit = 0
	}
	if opts.ResourceVersion == "0" {
		limit = 0
	}
	return r.page(s, revision, candidates, limit)
}

// place returns the index of the first object whose key is not less than a key, in a sorted list.
func place(objects []*object, key string) int {
	i, _ := slices.BinarySearchFunc(objects, key, func(o *object, key string) int { return cmp.Compare(o.key, key) })
	return i
}

// page returns the first selected objects of a sorted list: all, or as many as the limit allows. It is an error if one
// of the objects up to the last one cannot be read, selected or not.
func (r *resource) page(s *selector, revision uint64, candidates []*object, limit int) (*page, error) {
	p := &page{meta: listMeta{metav1.ListMeta{ResourceVersion: formatRevision(revision)}, s.shard}}
	var corrupt corruptObjects
	for i, stored := range candidates {
		o, err := r.load(stored)
		if err != nil {
			if corrupt.add(r, stored, err); len(corrupt) == maxCorrupt {
				break
			}
			continue
		}
		if !s.matches(o) {
			continue
		}
		p.objects = append(p.objects, o)
		if limit > 0 && len(p.objects) == limit && i+1 < len(candidates) {
			p.meta.Continue = encodeContinue(revision, o.key+"\x00")
			if s.empty() {
				remaining := int64(len(candidates) - i - 1)
				p.meta.RemainingItemCount = &remaining
			}
			break
		}
	}
	return p, corrupt.err(r)
}

func validateListOptions(opts metav1.ListOptions) error {
	if _, err := labels.Parse(opts.LabelSelector); err != nil {
		return badSelector(err)
	}
	if _, err := fields.ParseSelector(opts.FieldSelector); err != nil {
		return badSelector(err)
	}
	return invalidOptions("ListOptions", internalvalidation.ValidateListOptions(&internalversion.ListOptions{
		Watch:                opts.Watch,
		ResourceVersion:      opts.ResourceVersion,
		ResourceVersionMatch: opts.ResourceVersionMatch,
		Limit:                opts.Limit,
		Continue:             opts.Continue,
		SendInitialEvents:    opts.SendInitialEvents,
	}, true))
}

// startOfList returns the revision of a list, and the key of its first object.
func (a *API) startOfList(r *resource, opts metav1.ListOptions) (revision uint64, start string, err error) {
	if opts.Continue != "" {
		at, start, err := decodeContinue(opts.Continue)
		if err != nil {
			return 0, "", apierrors.NewBadRequest(fmt.Sprintf("invalid continue token: %v", err))
		}
		if opts.ResourceVersion != "" && opts.ResourceVersion != "0" {
			return 0, "", apierrors.NewBadRequest("specifying resource version is not allowed when using continue")
		}
		switch {
		case at < 0:
			return a.revision, start, nil
		case uint64(at) < r.expired:
			err := apierrors.NewResourceExpired("The provided continue parameter is too old to display a consistent list result. " +
				"You can start a new list without the continue parameter, or use the continue token in this response to " +
				"retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - " +
				"objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.")
			err.ErrStatus.ListMeta.Continue = encodeContinueAt(-1, start)
			return 0, "", err
		case uint64(at) > a.revision:
			return 0, "", tooLarge(uint64(at), a.revision)
		}
		return uint64(at), start, nil
	}
	v, err := parseVersion(opts.ResourceVersion)
	if err != nil {
		return 0, "", apierrors.NewBadRequest(fmt.Sprintf("invalid resource version: %v", err))
	}
	if v > a.revision {
		return 0, "", tooLarge(v, a.revision)
	}
	exact := opts.ResourceVersionMatch == metav1.ResourceVersionMatchExact ||
		opts.ResourceVersionMatch == "" && opts.Limit > 0 && v > 0
	if !exact {
		return a.revision, "", nil
	}
	if v < r.expired {
		return 0, "", apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
	}
	return v, "", nil
}

// continueToken is the content of a continue parameter.
type continueToken struct {
	APIVersion string `json:"v"`
	Revision   int64  `json:"rv"`
	Start      string `json:"start"`
}

func encodeContinue(revision uint64, start string) string {
	return encodeContinueAt(int64(revision), start)
}

func encodeContinueAt(revision int64, start string) string {
	data, err := json.Marshal(continueToken{APIVersion: "meta.k8s.io/v1", Revision: revision, Start: start})
	if err != nil {
		panic(err) // every value of the type can be encoded
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

func decodeContinue(token string) (revision int64, start string, err error) {
	data, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return 0, "", fmt.Errorf("continue key is not valid: %v", err)
	}
	var t continueToken
	if err := json.Unmarshal(data, &t); err != nil {
		return 0, "", fmt.Errorf("continue key is not valid: %s", strings.ReplaceAll(err.Error(), "fakeapi.", "storage."))
	}
	switch {
	case t.APIVersion != "meta.k8s.io/v1":
		return 0, "", fmt.Errorf("continue key is not valid: server does not recognize this encoded version %v", t.APIVersion)
	case t.Revision == 0:
		return 0, "", fmt.Errorf("continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
	case t.Start == "":
		return 0, "", fmt.Errorf("continue key is not valid: encoded start key empty (version meta.k8s.io/v1)")
	}
	if key := "/" + strings.TrimPrefix(t.Start, "/"); path.Clean(key) != key {
		return 0, "", fmt.Errorf("continue key is not valid: %v", t.Start)
	}
	return t.Revision, t.Start, nil
}
