package fakeapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	kubernetesscheme "k8s.io/client-go/kubernetes/scheme"
)

// manager returns the field manager for a subresource, or for the resource itself if subresource is "".
func (r *resource) manager(subresource string) (*managedfields.FieldManager, error) {
	if m := r.managers[subresource]; m != nil {
		return m, nil
	}
	versions := []schema.GroupVersion{r.gvr.GroupVersion()}
	if subresource == "status" && !r.standard {
		versions = r.statuses
	}
	ignored := ignoring(managedfields.NewDefaultCRDFieldManager, versions, r.resetFields(subresource))
	gv := r.kind.GroupVersion()
	all := objects{versions: r.versions, conversion: r.conversion}
	if r.standard {
		all.versions = nil
	}
	m, err := managedfields.NewDefaultCRDFieldManager(r.converter(), all, all, all, r.kind, gv, subresource, ignored)
	if err != nil {
		return nil, err
	}
	r.managers[subresource] = m
	return m, nil
}

// ownedSize is the number of object shapes for which ownAll keeps the result.
const ownedSize = 1 << 10

// ownAll makes a manager the owner of all fields of a new object. The set of fields only depends on the shape of the
// object. It is cached, because its computation takes longer than all other work for a new object.
func (r *resource) ownAll(d *draft, name string) error {
	var shape string
	if d.managed == nil {
		shape = string(appendShape(append([]byte(name), 0), d.Object))
		if managed, ok := r.owned[shape]; ok {
			d.managed = slices.Clone(managed)
			for i := range d.managed {
				d.managed[i].Time = &metav1.Time{Time: time.Now()}
			}
			roundTimes(d.managed)
			return nil
		}
	}
	manager, err := r.manager("")
	if err != nil {
		return err
	}
	empty, _ := objects{}.New(r.kind)
	r.own(manager, empty.(*draft), d, name)
	if shape != "" && len(d.managed) > 0 {
		if len(r.owned) >= ownedSize {
			clear(r.owned)
		}
		r.owned[shape] = d.managed
	}
	return nil
}

// own makes a manager the owner of the fields that it changes.
func (r *resource) own(manager *managedfields.FieldManager, old, d *draft, name string) {
	if d.GroupVersionKind() != r.kind {
		return // it will not be stored
	}
	if d.foreign && !r.convertible(d) {
		d.managed = old.managed // like the managers of a server, which also log it
		return
	}
	d.managed = manager.UpdateNoErrors(old, d, name).(*draft).managed
	roundTimes(d.managed)
}

// convertible reports whether the field managers of a server could determine the fields of an object.
func (r *resource) convertible(d *draft) bool {
	if r.listType().keyless("", d.Object) != nil {
		return false
	}
	if len(r.valueType().validate(nil, "", d.Object)) == 0 {
		return true
	}
	_, err := r.converter().ObjectToTyped(d, allowDuplicates)
	return err == nil
}

// appendShape appends the shape of a value to b. Objects with the same shape have the same set of fields. The shape
// consists of the names of all fields, the types of values, and the full contents of lists, because their elements may
// be fields.
func appendShape(b []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		b = append(b, '{')
		var buffer [16]string
		names := buffer[:0]
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			b = strconv.AppendQuote(b, name)
			b = appendShape(b, v[name])
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for _, e := range v {
			b = appendShape(b, e)
			switch e.(type) {
			case map[string]any, []any:
				data, _ := json.Marshal(e)
				b = append(b, data...)
			default:
				b = fmt.Appendf(b, "%q", fmt.Sprint(e))
			}
		}
		return append(b, ']')
	case nil:
		return append(b, 'z')
	case string:
		return append(b, 's')
	case bool:
		return append(b, 'b')
	case int64:
		return append(b, 'i')
	}
	return append(b, 'f')
}

// resetFields returns the top-level fields that requests for a subresource cannot set, and therefore do not own.
func (r *resource) resetFields(subresource string) []string {
	switch {
	case subresource == "" && r.hasStatus():
		return []string{"status"}
	case subresource == "status" && r.standard:
		return []string{"spec"}
	case subresource == "status":
		return []string{"metadata", "spec"}
	}
	return nil
}

// newTypeConverter returns a converter for a resource. Objects of a kind unknown to all converters have no schema.
func newTypeConverter(converters []managedfields.TypeConverter, r *resource) managedfields.TypeConverter {
	all := slices.Clone(converters)
	if r.standard {
		all = append(all, applyconfigurations.NewTypeConverter(kubernetesscheme.Scheme))
	}
	all = append(all, managedfields.NewDeducedTypeConverter())
	return newConverter(all)
}

// objects provides the operations that field managers need for drafts. There are no defaults.
type objects struct {
	versions   []schema.GroupVersion // existing versions; nil for any
	conversion *versioner            // between the versions; nil if they only differ in apiVersion
}

func (objects) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	d := &draft{}
	d.own()
	d.SetGroupVersionKind(kind)
	return d, nil
}

func (objects) Default(runtime.Object) {}

func (objects) Convert(in, out, context any) error {
	return fmt.Errorf("fakeapi: cannot convert %T to %T", in, out)
}

func (objects) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

func (o objects) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	d, ok := in.(*draft)
	gv, isVersion := target.(schema.GroupVersion)
	if !ok || !isVersion {
		return nil, fmt.Errorf("fakeapi: cannot convert %T to %v", in, target)
	}
	if o.versions != nil && !slices.Contains(o.versions, gv) {
		return nil, fmt.Errorf("request to convert CR to an invalid group/version: %s", gv)
	}
	if d.GetAPIVersion() == gv.String() {
		return d, nil
	}
	if o.conversion != nil {
		return o.conversion.apply(d, gv)
	}
	c := &draft{key: d.key, managed: d.managed, foreign: d.foreign}
	c.Object = maps.Clone(d.Object)
	c.SetAPIVersion(gv.String())
	return c, nil
}
