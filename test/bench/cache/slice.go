package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Slice is a Pod with five fields.
type Slice struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		NodeName string `json:"nodeName"`
		Priority *int32 `json:"priority"`
	} `json:"spec"`
	Status struct {
		Phase    string `json:"phase"`
		PodIP    string `json:"podIP"`
		QOSClass string `json:"qosClass"`
	} `json:"status"`
}

// SliceList is a list of Slices.
type SliceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`

	Items []Slice `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (s *Slice) DeepCopyObject() runtime.Object {
	c := *s
	s.ObjectMeta.DeepCopyInto(&c.ObjectMeta)
	if s.Spec.Priority != nil {
		priority := *s.Spec.Priority
		c.Spec.Priority = &priority
	}
	return &c
}

// DeepCopyObject implements runtime.Object.
func (l *SliceList) DeepCopyObject() runtime.Object {
	c := &SliceList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		c.Items = append(c.Items, *l.Items[i].DeepCopyObject().(*Slice))
	}
	return c
}
