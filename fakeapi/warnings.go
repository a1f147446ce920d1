package fakeapi

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/validation"
)

// WithDeprecatedVersions makes the API warn clients of deprecated versions of custom resources. The values are the
// texts of the warnings. Only clients of [API.RESTConfig] receive warnings.
func WithDeprecatedVersions(warnings map[schema.GroupVersionResource]string) Option {
	return func(c *config) {
		for gvr, text := range warnings {
			c.deprecated[gvr] = text
		}
	}
}

// warn adds a warning to the response to the current request. The caller must hold the lock.
func (a *API) warn(text string) {
	if a.client != nil {
		a.client.warn(text)
	}
}

// maxWarnings and maxWarning are limits in runes: maxWarnings for all warnings of a response, and maxWarning for each
// warning if their total exceeds maxWarnings.
const (
	maxWarnings = 4 << 10
	maxWarning  = 256
)

// warn adds a warning to the response of an HTTP request. Fake clientsets cannot receive warnings.
func (c *client) warn(text string) {
	if c.fake == nil && text != "" && !slices.Contains(c.warnings, text) {
		c.warnings = append(c.warnings, text)
	}
}

// warningHeaders returns the values of the header for warnings.
func warningHeaders(warnings []string) (headers []string) {
	total := 0
	for _, text := range warnings {
		total += len([]rune(text))
	}
	written := 0
	for _, text := range warnings {
		runes := []rune(text)
		if total > maxWarnings {
			if written >= maxWarnings {
				break
			}
			runes = runes[:min(len(runes), maxWarning)]
		}
		if header, err := net.NewWarningHeader(299, "", string(runes)); err == nil {
			headers = append(headers, header)
			written += len(runes)
		}
	}
	return headers
}

// A fieldValidation determines the treatment of unknown and duplicate fields.
type fieldValidation struct {
	directive string // as in the options of a request; "" means Warn
	warn      func(text string)
}

// validation returns the field validation of the current request. The caller must hold the lock.
func (a *API) validation(directive string) fieldValidation {
	return fieldValidation{directive, a.warn}
}

// check returns an error for unknown and duplicate fields if these are not allowed.
func (v fieldValidation) check(problems []error) error {
	switch {
	case len(problems) == 0 || v.directive == metav1.FieldValidationIgnore:
		return nil
	case v.directive == metav1.FieldValidationStrict:
		return runtime.NewStrictDecodingError(problems)
	}
	v.report(problems)
	return nil
}

// report sends a warning for each problem. Errors in YAML are sent line by line.
func (v fieldValidation) report(problems []error) {
	if v.warn == nil {
		return
	}
	for _, problem := range problems {
		text := problem.Error()
		lines, ok := strings.CutPrefix(strings.TrimPrefix(text, "error converting YAML to JSON: "), "yaml: unmarshal errors:\n")
		if !ok {
			v.warn(text)
			continue
		}
		for line := range strings.SplitSeq(lines, "\n") {
			v.warn(strings.TrimSpace(line))
		}
	}
}

// warnOfFinalizers warns of finalizer names in an object that its predecessor, which may be nil, does not have.
func (a *API) warnOfFinalizers(r *resource, d, old *draft) {
	if r.standard {
		return
	}
	var known []string
	if old != nil {
		known = old.GetFinalizers()
	}
	added := slices.Clone(d.GetFinalizers())
	slices.Sort(added)
	for _, name := range slices.Compact(added) {
		if slices.Contains(known, name) {
			continue
		}
		for _, problem := range validation.IsQualifiedName(name) {
			a.warn(fmt.Sprintf("metadata.finalizers: %q: %s", name, problem))
		}
		switch {
		case strings.Contains(name, "/"), slices.Contains(standardFinalizers, name):
		case strings.Contains(name, "."):
			a.warn(fmt.Sprintf(
				"metadata.finalizers: %q: prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other "+
					"finalizer writers",
				name,
			))
		default:
			a.warn(fmt.Sprintf(
				"metadata.finalizers: %q: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers", name,
			))
		}
	}
}

// standardFinalizers lists finalizers without a domain.
var standardFinalizers = []string{metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents, "kubernetes"}
