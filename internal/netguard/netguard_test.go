package netguard

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

func TestCheckJudgesAddresses(t *testing.T) {
	tests := []struct {
		addr string
		kind string // "" means allowed
	}{
		{"8.8.8.8", ""},
		{"1.1.1.1", ""},
		{"100.63.255.255", ""},
		{"100.128.0.0", ""},
		{"172.15.255.255", ""},
		{"172.32.0.0", ""},
		{"192.167.255.255", ""},
		{"169.253.255.255", ""},
		{"223.255.255.255", ""},
		{"2606:4700:4700::1111", ""},
		{"2001:4860:4860::8888", ""},

		{"127.0.0.1", "loopback"},
		{"127.255.255.254", "loopback"},
		{"::1", "loopback"},
		{"10.0.0.1", "private"},
		{"172.16.0.1", "private"},
		{"172.31.255.255", "private"},
		{"192.168.1.1", "private"},
		{"fd00:ec2::254", "private"},
		{"fec0::1", "private"},
		{"169.254.169.254", "link-local"},
		{"fe80::1", "link-local"},
		{"fe80::1%eth0", "link-local"},
		{"100.64.0.1", "carrier-grade NAT"},
		{"100.127.255.255", "carrier-grade NAT"},
		{"224.0.0.1", "multicast"},
		{"239.255.255.250", "multicast"},
		{"ff02::1", "multicast"},
		{"0.0.0.0", "unspecified"},
		{"0.1.2.3", "unspecified"},
		{"::", "unspecified"},
		{"::ffff:127.0.0.1", "IPv4-mapped"},
		{"::ffff:8.8.8.8", "IPv4-mapped"},
		{"64:ff9b::7f00:1", "NAT64"},
		{"64:ff9b::8.8.8.8", "NAT64"},
		{"64:ff9b:1::1", "NAT64"},
		{"::7f00:1", "IPv4-compatible"},
		{"2002:7f00:1::", "6to4"},
		{"2001:0:7f00:1::", "Teredo"},
		{"192.0.0.8", "reserved"},
		{"192.0.2.1", "reserved"},
		{"198.18.0.1", "reserved"},
		{"198.51.100.7", "reserved"},
		{"203.0.113.7", "reserved"},
		{"240.0.0.1", "reserved"},
		{"255.255.255.255", "reserved"},
		{"100::1", "reserved"},
		{"192.88.99.1", "6to4"},
		{"::ffff:0:7f00:1", "reserved"},
		{"2001:2::1", "reserved"},
		{"2001:20::1", "reserved"},
		{"3fff::1", "reserved"},
		{"5f00::1", "reserved"},
		{"4000::1", "reserved"},
		{"2001:db8::1", "reserved"},
	}
	for _, tt := range tests {
		t.Run(tt.addr, func(t *testing.T) {
			err := Check(netip.MustParseAddr(tt.addr))
			switch {
			case tt.kind == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.kind != "" && !errors.Is(err, nestor.ErrForbidden):
				t.Errorf("got %v, want a forbidden error", err)
			case tt.kind != "" && !strings.Contains(err.Error(), tt.kind+" address"):
				t.Errorf("got %q, want it to say %q", err, tt.kind)
			}
		})
	}
}

func TestClientRefusesLocalServersHoweverTheyAreSpelled(t *testing.T) {
	hits := 0
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits++ }))
	defer srv.Close()
	_, port, _ := net.SplitHostPort(srv.Listener.Addr().String())

	client := Client(Options{})
	defer client.CloseIdleConnections()
	for _, host := range []string{
		"127.0.0.1", "localhost", "LOCALHOST", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "[::]", "127.1.2.3",
	} {
		t.Run(host, func(t *testing.T) {
			resp, err := client.Get("http://" + net.JoinHostPort(strings.Trim(host, "[]"), port))
			if err == nil {
				resp.Body.Close()
				t.Fatalf("connected: status %s", resp.Status)
			}
			if Code(err) != nestor.CodeForbidden {
				t.Errorf("got %v, want a forbidden error", err)
			}
		})
	}
	// Whether these are addresses or names is up to the system's resolver.
	for _, host := range []string{"2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "127.1", "0", "localhost."} {
		t.Run(host, func(t *testing.T) {
			resp, err := client.Get("http://" + net.JoinHostPort(host, port))
			if err == nil {
				resp.Body.Close()
				t.Fatalf("connected: status %s", resp.Status)
			}
			if code := Code(err); code != nestor.CodeForbidden && code != nestor.CodeUnavailable {
				t.Errorf("got %v", err)
			}
		})
	}
	if hits != 0 {
		t.Errorf("the server got %d requests", hits)
	}
}

func TestAllowPrivateReachesLocalServers(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
	}))
	defer srv.Close()
	client := Client(Options{AllowPrivate: true})
	defer client.CloseIdleConnections()
	resp, err := client.Get(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusTeapot {
		t.Errorf("status %s", resp.Status)
	}
}

func TestProxySettingsOfTheEnvironmentAreIgnored(t *testing.T) {
	proxied := false
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { proxied = true }))
	defer proxy.Close()
	t.Setenv("HTTP_PROXY", proxy.URL)
	client := Client(Options{AllowPrivate: true, DialTimeout: time.Second})
	defer client.CloseIdleConnections()
	if _, err := client.Get("http://nestor.invalid/"); Code(err) != nestor.CodeUnavailable || proxied {
		t.Errorf("err %v, proxied %v: want a failed look-up", err, proxied)
	}
}

func TestRedirectsAreFollowedOnlyAsFarAsTheOptionSays(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer other.Close()
	mux := http.NewServeMux()
	mux.Handle("/here", http.RedirectHandler("/end", http.StatusFound))
	mux.Handle("/there", http.RedirectHandler(other.URL+"/end", http.StatusFound))
	mux.Handle("/loop", http.RedirectHandler("/loop", http.StatusFound))
	mux.HandleFunc("/end", func(http.ResponseWriter, *http.Request) {})
	srv := httptest.NewServer(mux)
	defer srv.Close()

	tests := []struct {
		name string
		mode Redirects
		path string
		want int // 0: an error
	}{
		{"none by default, same host", NoRedirects, "/here", http.StatusFound},
		{"none by default, other host", NoRedirects, "/there", http.StatusFound},
		{"same host is followed", SameHost, "/here", http.StatusOK},
		{"same host stops before another host", SameHost, "/there", http.StatusFound},
		{"any host is followed", AnyHost, "/there", http.StatusOK},
		{"a loop ends with an error", AnyHost, "/loop", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client := Client(Options{AllowPrivate: true, Redirects: tt.mode})
			defer client.CloseIdleConnections()
			resp, err := client.Get(srv.URL + tt.path)
			if tt.want == 0 {
				if !errors.Is(err, nestor.ErrUnavailable) {
					t.Errorf("got %v, want an unavailable error", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != tt.want {
				t.Errorf("got %s, want %d", resp.Status, tt.want)
			}
		})
	}
}

func TestSameHostComparesSchemeNameAndPort(t *testing.T) {
	tests := []struct {
		from, to string
		want     bool
	}{
		{"https://a.example/x", "https://A.example:443/y", true},
		{"http://a.example/", "https://a.example/", true},
		{"https://a.example/", "http://a.example/", false},
		{"https://a.example/", "https://a.example:8443/", false},
		{"http://a.example:8080/", "https://a.example/", false},
		{"https://a.example/", "https://b.a.example/", false},
	}
	for _, tt := range tests {
		from, _ := url.Parse(tt.from)
		to, _ := url.Parse(tt.to)
		if got := sameHost(from, to); got != tt.want {
			t.Errorf("sameHost(%s, %s) = %v", from, to, got)
		}
	}
}

func TestTimeoutBoundsTheWholeRequestUnlessSwitchedOff(t *testing.T) {
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer srv.Close()

	short := Client(Options{AllowPrivate: true, Timeout: 20 * time.Millisecond})
	defer short.CloseIdleConnections()
	if _, err := short.Get(srv.URL); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want a deadline error", err)
	}
	close(release)
	if got := Client(Options{Timeout: -1}).Timeout; got != 0 {
		t.Errorf("a negative timeout gave %v, want none", got)
	}
	if got := Client(Options{}).Timeout; got != 30*time.Second {
		t.Errorf("the default is %v, want 30s", got)
	}
}
