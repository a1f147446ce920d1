package fakeapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/yaml"
	kjson "sigs.k8s.io/json"
)

// maxPatchOperations is the maximum number of operations in a JSON patch.
const maxPatchOperations = 10000

// maxBody is the maximum size of a request body in bytes.
const maxBody = 3 << 20

// tooLargeBody is the error for a body larger than maxBody.
func tooLargeBody() error {
	return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", maxBody))
}

// A patch is a patch request.
type patch struct {
	kind types.PatchType
	data []byte
	opts metav1.PatchOptions

	validation fieldValidation
}

// patchType returns the type of a patch from its media type, which may have parameters.
func patchType(mediaType string) types.PatchType {
	kind, _, _ := strings.Cut(mediaType, ";")
	return types.PatchType(kind)
}

// checkPatchType returns an error if the resource does not accept patches of a type.
func (r *resource) checkPatchType(kind types.PatchType) error {
	accepted := []types.PatchType{types.JSONPatchType, types.MergePatchType}
	if r.standard {
		accepted = append(accepted, types.StrategicMergePatchType)
	}
	accepted = append(accepted, types.ApplyYAMLPatchType)
	if slices.Contains(accepted, kind) {
		return nil
	}
	var list []string
	for _, kind := range accepted {
		list = append(list, string(kind))
	}
	return unsupportedMediaType(strings.Join(list, ", "))
}

// check returns an error if the resource does not accept the type, size, options or syntax of the patch.
func (p patch) check(r *resource) error {
	if err := r.checkPatchType(p.kind); err != nil {
		return err
	}
	if len(p.data) > maxBody {
		return tooLargeBody()
	}
	if err := invalidOptions("PatchOptions", validation.ValidatePatchOptions(&p.opts, p.kind)); err != nil {
		return err
	}
	if p.kind == types.ApplyYAMLPatchType {
		if _, err := yaml.ToJSON(p.data); err != nil {
			return apierrors.NewBadRequest(fmt.Sprintf("error encoding patch: %v", err))
		}
	} else if !json.Valid(p.data) {
		return apierrors.NewBadRequest("invalid JSON patch")
	}
	return nil
}

// patch patches an object.
func (a *API) patch(r *resource, namespace, name, subresource string, p patch) (*object, error) {
	p.validation = a.validation(p.opts.FieldValidation)
	if err := p.check(r); err != nil {
		return nil, err
	}
	manager, err := r.manager(subresource)
	if err != nil {
		return nil, err
	}
	c := change{
		namespace:   namespace,
		name:        name,
		subresource: subresource,
		create:      subresource == "" && p.kind == types.ApplyYAMLPatchType,
		dryRun:      len(p.opts.DryRun) > 0,
	}
	c.next = func(old *draft) (d *draft, err error) {
		exists := old.GetUID() != ""
		if p.kind == types.ApplyYAMLPatchType {
			before := cloneValue(old.Object)
			if d, err = p.merge(manager, r.listType(), old); err == nil && !reflect.DeepEqual(before, any(d.Object)) {
				r.completeApplied(d) // servers set no defaults after an apply that changes nothing
			}
		} else if d, err = p.change(r, old); err == nil {
			r.own(manager, old, d, managerName(p.opts.FieldManager))
		}
		if err != nil {
			return nil, err
		}
		if uid := d.GetUID(); !exists && uid != "" {
			return nil, apierrors.NewConflict(
				r.gvr.GroupResource(), name, fmt.Errorf("uid mismatch: the provided object specified uid %s, and no existing object was found", uid),
			)
		}
		if err := r.setNamespace(d, namespace); err != nil {
			return nil, err
		}
		if err := checkName(d.GetName(), name); err != nil {
			return nil, err
		}
		a.dedupOwners(d, afterAdmission)
		return d, nil
	}
	return a.replace(r, c)
}

func checkName(got, want string) error {
	switch got {
	case want:
		return nil
	case "":
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", want))
	}
	return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", got, want))
}

// change returns the result of a patch other than apply.
func (p patch) change(r *resource, old *draft) (*draft, error) {
	full := old.DeepCopyObject().(*draft).object(0).full()
	set(full["metadata"].(map[string]any), "resourceVersion", old.metadata()["resourceVersion"])
	patched, unknown, err := p.patched(encode(full), func() (any, error) { return r.scheme.New(r.kind) })
	if err != nil {
		return nil, err
	}
	var content map[string]any
	if err := utiljson.Unmarshal(patched, &content); err != nil {
		_, err := serializer.SimpleMetaFactory{}.Interpret(patched)
		return nil, unpatchable(patched, err)
	}
	d, more, err := decode(r, content, sentAs(func() []byte { return patched }))
	if err == nil {
		err = p.validation.check(append(unknown, more...))
	}
	if err != nil {
		return nil, unpatchable(patched, err)
	}
	r.complete(d)
	return d, nil
}

// unpatchable returns the error for a patch whose result is not an object.
func unpatchable(patched []byte, err error) error {
	return apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{field.Invalid(field.NewPath("patch"), string(patched), err.Error())})
}

// patched returns the JSON of an object after a patch other than apply. unknown lists violations of strict field
// validation in the patch.
func (p patch) patched(data []byte, goType func() (any, error)) (patched []byte, unknown []error, err error) {
	strict := p.opts.FieldValidation != metav1.FieldValidationIgnore
	switch p.kind {
	case types.JSONPatchType:
		if strict {
			var operations []jsonPatchOp
			if unknown, err = kjson.UnmarshalStrict(p.data, &operations); err != nil {
				return nil, nil, apierrors.NewBadRequest(fmt.Sprintf(
					"error decoding patch: %v", strings.ReplaceAll(err.Error(), "fakeapi.", "handlers."),
				))
			}
			for i, err := range unknown {
				unknown[i] = fmt.Errorf("json patch %w", err)
			}
		}
		operations, err := jsonpatch.DecodePatch(p.data)
		if err != nil {
			return nil, nil, apierrors.NewBadRequest(err.Error())
		}
		if len(operations) > maxPatchOperations {
			return nil, nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf(
				"The allowed maximum operations in a JSON patch is %d, got %d", maxPatchOperations, len(operations)))
		}
		if patched, err = operations.Apply(data); err != nil {
			return nil, nil, apierrors.NewGenericServerResponse(
				http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false,
			)
		}
		return patched, unknown, nil
	case types.MergePatchType:
		if strict {
			if unknown, err = kjson.UnmarshalStrict(p.data, &map[string]any{}); err != nil {
				return nil, nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
			}
		}
		patched, err = jsonpatch.MergePatch(data, p.data)
		if errors.Is(err, jsonpatch.ErrBadJSONPatch) {
			err = apierrors.NewBadRequest(err.Error())
		}
		return patched, unknown, err
	}
	var content, changes map[string]any
	if strict {
		unknown, err = kjson.UnmarshalStrict(p.data, &changes)
	} else {
		err = utiljson.Unmarshal(p.data, &changes)
	}
	if err != nil {
		return nil, nil, apierrors.NewBadRequest(err.Error())
	}
	if err := utiljson.Unmarshal(data, &content); err != nil {
		return nil, nil, err
	}
	obj, err := goType()
	if err != nil {
		return nil, nil, err
	}
	if content, err = strategicpatch.StrategicMergeMapPatch(content, changes, obj); err != nil {
		return nil, nil, strategicError(err)
	}
	return encode(content), unknown, nil
}

// jsonPatchOp is an operation of a JSON patch.
type jsonPatchOp struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	From  string `json:"from"`
	Value any    `json:"value"`
}

func strategicError(err error) error {
	return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
}

// patchScale patches the scale subresource of an object.
func (a *API) patchScale(r *resource, namespace, name string, p patch) (runtime.Object, error) {
	p.validation = a.validation(p.opts.FieldValidation)
	if err := p.check(r); err != nil {
		return nil, err
	}
	manager, err := r.scaleManager()
	if err != nil {
		return nil, err
	}
	return a.changeScale(r, change{namespace: namespace, name: name, dryRun: len(p.opts.DryRun) > 0},
		func(old *autoscalingv1.Scale) (*autoscalingv1.Scale, error) {
			before, err := newScaleDraft(old)
			if err != nil {
				return nil, err
			}
			var d *draft
			if p.kind == types.ApplyYAMLPatchType {
				d, err = p.merge(manager, nil, before)
			} else {
				if d, err = p.changeScale(old); err == nil {
					d = manager.UpdateNoErrors(before, d, managerName(p.opts.FieldManager)).(*draft)
				}
			}
			if err != nil {
				return nil, err
			}
			if err := checkName(d.GetName(), name); err != nil {
				return nil, err
			}
			return d.scale()
		})
}

// changeScale returns the result of a patch of a Scale other than apply.
func (p patch) changeScale(old *autoscalingv1.Scale) (*draft, error) {
	patched, unknown, err := p.patched(encode(old), func() (any, error) { return &autoscalingv1.Scale{}, nil })
	if err != nil {
		return nil, err
	}
	scale, more, err := decodeScale(patched)
	if err == nil {
		err = p.validation.check(append(unknown, more...))
	}
	if err != nil {
		return nil, unpatchable(patched, err)
	}
	return newScaleDraft(scale)
}

// updateScale replaces the scale subresource of an object.
func (a *API) updateScale(r *resource, rq request, scale *autoscalingv1.Scale, opts metav1.UpdateOptions) (runtime.Object, error) {
	if r.namespaced && scale.Namespace != "" && scale.Namespace != rq.namespace {
		return nil, errOtherNamespace()
	}
	if err := checkName(scale.Name, rq.name); err != nil {
		return nil, err
	}
	manager, err := r.scaleManager()
	if err != nil {
		return nil, err
	}
	c := change{namespace: rq.namespace, name: rq.name, uid: scale.UID, dryRun: len(opts.DryRun) > 0}
	return a.changeScale(r, c, func(old *autoscalingv1.Scale) (*autoscalingv1.Scale, error) {
		before, err := newScaleDraft(old)
		if err != nil {
			return nil, err
		}
		d, err := newScaleDraft(scale)
		if err != nil {
			return nil, err
		}
		return manager.UpdateNoErrors(before, d, managerName(opts.FieldManager)).(*draft).scale()
	})
}

func newScaleDraft(scale *autoscalingv1.Scale) (*draft, error) {
	scale = scale.DeepCopy()
	scale.TypeMeta = metav1.TypeMeta{APIVersion: "autoscaling/v1", Kind: "Scale"}
	d := &draft{managed: scale.ManagedFields}
	scale.ManagedFields = nil
	var err error
	d.Object, err = runtime.DefaultUnstructuredConverter.ToUnstructured(scale)
	d.own()
	return d, err
}

func (d *draft) scale() (*autoscalingv1.Scale, error) {
	scale := &autoscalingv1.Scale{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(d.Object, scale); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	scale.ManagedFields = d.managed
	return scale, nil
}
