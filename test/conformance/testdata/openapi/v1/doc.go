// +k8s:openapi-gen=true
// +k8s:openapi-model-package=com.example.feat.v1

// Package v1 has features.
package v1
