package app

import (
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/module"
)

// Config is everything the program can be told. The zero value of a field
// means its default.
type Config struct {
	// Data is the folder for the embedded database and the key.
	// Defaults to ./nestor-data.
	Data string
	// DB is the URL of a PostgreSQL database, or "" for the embedded SQLite.
	DB string
	// NATS is the URL of a NATS server, or several with commas, that carries live
	// text and wake-ups between the nodes of a PostgreSQL database, and NATSCreds a
	// file with credentials for it. Default to PostgreSQL itself, and none.
	NATS, NATSCreds string
	// Addr to listen on. Defaults to 127.0.0.1:8787.
	Addr string
	// TLSCert and TLSKey are files in PEM form with a certificate chain and its
	// key. With them the server speaks HTTPS and HTTP/2. Files that change are
	// read anew. Default to plain HTTP.
	TLSCert, TLSKey string
	// Token is the bearer token of whoever runs the server. Defaults to none.
	Token string
	// Rules is a file of access rules that replaces the built-in ones.
	Rules string
	// Hosts are the names under which browsers reach the server, besides those
	// of the machine itself.
	Hosts []string
	// PublicURL is the address of the server behind a reverse proxy, such as
	// https://example.org/agents. Defaults to none.
	PublicURL string
	// TrustedProxies are the addresses and networks of reverse proxies that say
	// where a request comes from. Default to none.
	TrustedProxies []string
	// SecretKey is the master key in base64. Defaults to a file in Data.
	SecretKey string
	// Triggers is a triggers file that replaces or extends the built-in ones.
	Triggers string
	// Agents is a file of agent roles that adds to or replaces the built-in ones.
	Agents string
	// Tools is a tools file that adds to the built-in tools.
	Tools string
	// Nodes is a file of services that are types of graph nodes.
	Nodes string
	// AllowPrivate permits webhooks, web_fetch and everybody's model connections
	// to reach private addresses.
	AllowPrivate bool
	// UserTokens and UserCost bound what each user may use in all, in tokens
	// and in US dollars. Default to no bound.
	UserTokens int64
	UserCost   float64
	// The same per day and month of UTC.
	UserTokensPerDay   int64
	UserTokensPerMonth int64
	UserCostPerDay     float64
	UserCostPerMonth   float64
	// ContextTokens is the size from which conversations are condensed.
	// Defaults to 120,000 or 80% of the model's window.
	ContextTokens int
	// MaxBody is the size limit of a document's body in bytes. Defaults to 1 MiB.
	MaxBody int
	// Files is where the bytes of files lie: "db" for the database, "dir:PATH" for a
	// folder, or "s3://BUCKET/PREFIX?endpoint=URL&region=NAME". Defaults to db.
	Files string
	// MaxFile is the size limit of a file in bytes. Defaults to 20 MiB.
	MaxFile int64
	// DiskPerUser and DiskPerAccount are how many bytes the documents and files of a user,
	// and those in the chats of an account, may take. Default to no bound.
	DiskPerUser, DiskPerAccount int64
	// UnusedFiles is how long a file is kept that no message names. Defaults to 24
	// hours.
	UnusedFiles time.Duration
	// StreamsPerUser is how many event and replication streams one user may have
	// open, and Streams how many there may be in all. Default to 256 and 4096.
	StreamsPerUser, Streams int
	// Concurrency is how many jobs run at once. Defaults to 4096.
	Concurrency int
	// UserConcurrency is how many jobs of one user run at once on all nodes, and
	// AccountConcurrency how many in the chats of one account, unless it has a limit of its
	// own. Default to no bound. All nodes have to have the same.
	UserConcurrency, AccountConcurrency int
	// UserWeights are how many jobs a user has run in their turn, when others wait,
	// too, by user id. Default to 1.
	UserWeights map[string]int
	// UserMaxWaiting and MaxWaiting are how many jobs of one user, and of all, may
	// wait before requests for more work are refused. Default to 100,000 and
	// 1,000,000; a negative number sets no bound.
	UserMaxWaiting, MaxWaiting int
	// DBConnections is how many connections to PostgreSQL the pool of a node has;
	// one more holds its lease. Defaults to what the URL says, or 32.
	DBConnections int
	// LeaseTTL is how long after its last sign of life a node counts as gone.
	// Defaults to 5s.
	LeaseTTL time.Duration
	// Drain is how long to wait for running jobs when stopping. Defaults to 10s.
	Drain time.Duration
	// LogRetention is how far back the change log reaches. Defaults to 7 days.
	LogRetention time.Duration
	// NoMetrics keeps the runtime from recording metrics. Points that clients send are
	// recorded all the same.
	NoMetrics bool
	// MetricsPoints is how long points that clients sent can be read one by one, and the
	// others how long metrics are kept by resolution. Default to 2 days, 7 days, 90 days
	// and 2 years.
	MetricsPoints, MetricsMinutes, MetricsHours, MetricsDays time.Duration
	// LogFormat is "text" or "json". Defaults to text.
	LogFormat string
	// LogLevel is debug, info, warn or error. Defaults to info.
	LogLevel string

	// Unlisted servers listen nowhere: the program around them passes requests on.
	Unlisted bool
	// Temporary keeps the embedded database and the key in a folder of their own,
	// which goes when the server is closed.
	Temporary bool
	// Models are those of the program that runs the server; see
	// [connection.Options].
	Models map[string]llm.Model
	// Roles are those of the program that runs the server, added to the file's.
	Roles map[string]role.Role
	// Logger takes the place of LogFormat and LogLevel.
	Logger *slog.Logger
	// Modules are domains beside those of the program itself.
	Modules module.List

	// Env looks up environment variables. Defaults to os.Getenv.
	Env func(string) string
	// Stdout is for what a person asked for, Stderr for logs. They default to
	// the process's own.
	Stdout, Stderr io.Writer
	// Listening, if set, is told the base URL once the server accepts requests.
	Listening func(url string)
}

func (c Config) withDefaults() Config {
	if c.Data == "" {
		c.Data = "./nestor-data"
	}
	if c.Addr == "" {
		c.Addr = "127.0.0.1:8787"
	}
	if c.UserMaxWaiting == 0 {
		c.UserMaxWaiting = 100_000
	}
	if c.MaxWaiting == 0 {
		c.MaxWaiting = 1_000_000
	}
	if c.Env == nil {
		c.Env = os.Getenv
	}
	if c.Stdout == nil {
		c.Stdout = os.Stdout
	}
	if c.Stderr == nil {
		c.Stderr = os.Stderr
	}
	return c
}
