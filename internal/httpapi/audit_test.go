package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestNobodyMakesKeysForOthers(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		for name, bearer := range map[string]string{"a session": w.session("amy"), "a key": w.apiKey("amy", access.ScopeAdmin)} {
			w.want(403, "POST", "/keys?user=olga", `{"name":"mine","scopes":["admin"]}`, "users make their own keys", "Authorization", bearer)
			if _, list := w.call("GET", "/keys?user=olga", "", "Authorization", bearer); strings.Contains(list, `"mine"`) {
				t.Errorf("with %s there is one all the same: %s", name, list)
			}
			w.want(201, "POST", "/keys", `{"name":"own","scopes":["read"]}`, "", "Authorization", bearer)
		}
		// Whoever runs the server sees everything anyway, but not unnoticed.
		w.want(201, "POST", "/keys?user=olga", `{"name":"operator","scopes":["read"]}`, "")
		w.want(200, "POST", "/query", `{"collection":"users/olga/audit"}`, `"act":"key_made"`, "Authorization", w.session("olga"))
	})
}

func TestWhatAdministratorsDoToAUserIsNotedWhereTheUserSeesIt(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		amy, olga := []string{"Authorization", w.session("amy")}, w.session("olga")
		key := w.want(201, "POST", "/keys", `{"name":"k","scopes":["read"]}`, "", "Authorization", olga)["id"].(string)
		w.want(204, "DELETE", "/sessions/spare?user=olga", "", "", amy...)
		w.want(204, "DELETE", "/keys/"+key+"?user=olga", "", "", amy...)
		w.want(200, "PATCH", "/users/olga", `{"admin":true}`, "", amy...)
		w.want(200, "PATCH", "/users/olga", `{"admin":false,"disabled":false}`, "", amy...) // she was not disabled
		w.want(200, "PATCH", "/users/olga", `{"disabled":true}`, "", amy...)
		w.want(200, "PATCH", "/users/olga", `{"disabled":false,"password":"`+password+`"}`, "", amy...)
		own := w.session("olga")
		w.want(200, "PUT", "/me/password", `{"current":"`+password+`","password":"`+password+`"}`, "", "Authorization", own) // is her own business
		as := []string{"Authorization", w.session("olga")}
		var page struct {
			Items []access.Entry `json:"items"`
		}
		_, text := w.call("POST", "/query", `{"collection":"users/olga/audit"}`, as...)
		if err := json.Unmarshal([]byte(text), &page); err != nil {
			t.Fatal(err)
		}
		var acts []string
		for _, e := range page.Items {
			if acts = append(acts, string(e.Act)); e.By != "amy" || (e.Act == access.KeyRevoked) != (e.On == key) {
				t.Errorf("%+v", e)
			}
		}
		if got := strings.Join(acts, " "); got != "session_ended key_revoked admin_given admin_taken user_disabled password_set user_enabled" {
			t.Errorf("noted are %s", got)
		}
		// It is for the user and administrators to read, and for nobody to write.
		w.want(200, "POST", "/query", `{"collection":"users/olga/audit"}`, `"by":"amy"`, amy...)
		w.want(403, "POST", "/query", `{"collection":"users/olga/audit"}`, "", "Authorization", w.session("otto"))
		entry := "/docs/users/olga/audit/" + page.Items[0].ID
		for name, bearer := range map[string]string{
			"her session": as[1], "her key": w.apiKey("olga", access.ScopeWrite), "her admin key": w.apiKey("olga", access.ScopeAdmin),
			"an administrator": amy[1], "an administrator's key": w.apiKey("amy", access.ScopeAdmin), "a webhook": w.grant("olga", "users/olga"),
		} {
			for _, method := range []string{"PUT", "PATCH", "DELETE"} {
				if status, text := w.call(method, entry, `{}`, "Authorization", bearer); status != 403 {
					t.Errorf("%s %s by %s: %d %s", method, entry, name, status, text)
				}
			}
			if status, _ := w.call("PUT", "/docs/users/olga/audit/forged", `{"by":"amy","act":"key_made"}`, "Authorization", bearer); status != 403 && status != 404 {
				t.Errorf("%s forges one: %d", name, status)
			}
		}
	})
}
