// [above other] File Package

package v1

// [free in other] File

// [function in other]
func G() {
}
