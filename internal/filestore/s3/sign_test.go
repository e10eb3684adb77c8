package s3

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// The examples of the documentation of Amazon S3, "Authenticating Requests: Using the
// Authorization Header".
func TestRequestsAreSignedAsTheSpecificationSays(t *testing.T) {
	k := keys{id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
	at := time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct{ url, ranged, want string }{
		"a part of an object": {
			"https://examplebucket.s3.amazonaws.com/test.txt", "bytes=0-9", "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
		},
		"a list of objects": {
			"https://examplebucket.s3.amazonaws.com/?prefix=J&max-keys=2", "", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, tt.url, nil)
			if err != nil {
				t.Fatal(err)
			}
			if tt.ranged != "" {
				r.Header.Set("Range", tt.ranged)
			}
			sign(r, k, "us-east-1", emptyHash, at)
			if got := r.Header.Get("Authorization"); !strings.HasSuffix(got, "Signature="+tt.want) {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestAStorageIsRefusedThatCannotBeMeant(t *testing.T) {
	full := map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret"}
	for at, want := range map[string]string{
		"s3://":                             "is not of the form",
		"s3://id:secret@bucket":             "is not of the form",
		"s3://bucket?key=x":                 "the parameter key",
		"s3://bucket?endpoint=ftp://host":   "an endpoint that is not",
		"s3://bucket?endpoint=http://a:b@c": "an endpoint that is not",
	} {
		if _, err := Open(at, func(name string) string { return full[name] }); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret@") {
			t.Errorf("%s: %v", at, err)
		}
	}
	if _, err := Open("s3://bucket", func(string) string { return "" }); err == nil || !strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") {
		t.Errorf("without keys: %v", err)
	}
}
