package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/tool/toolset"
)

// openModels makes the model connections. Failed is told of calls that failed.
func openModels(cfg Config, s store.Documents, key *access.Key, failed func(userID, model string, took time.Duration)) (*connection.Connections, error) {
	budget, err := userBudget(cfg)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	connection.ForMany(transport)
	return connection.New(connection.Options{
		Store: s, Key: key, Env: cfg.Env, HTTPClient: &http.Client{Transport: transport}, AllowPrivate: cfg.AllowPrivate,
		UserBudget: budget, Models: cfg.Models, Failed: failed,
	})
}

// userBudget is what each user may use.
func userBudget(cfg Config) (nestor.Budget, error) {
	var b nestor.Budget
	life, err := allowance("", cfg.UserTokens, cfg.UserCost)
	if err != nil {
		return b, err
	}
	day, err := allowance("-per-day", cfg.UserTokensPerDay, cfg.UserCostPerDay)
	if err != nil {
		return b, err
	}
	month, err := allowance("-per-month", cfg.UserTokensPerMonth, cfg.UserCostPerMonth)
	if err != nil {
		return b, err
	}
	b.Tokens, b.CostMicros = life.Tokens, life.CostMicros
	if day != (nestor.Allowance{}) {
		b.PerDay = &day
	}
	if month != (nestor.Allowance{}) {
		b.PerMonth = &month
	}
	return b, nil
}

// allowance is what two flags say. The cost is rounded up, so that a small
// bound does not become none.
func allowance(per string, tokens int64, cost float64) (nestor.Allowance, error) {
	const micros = 1e6 // in a dollar
	if tokens < 0 {
		return nestor.Allowance{}, nestor.Errorf(nestor.CodeInvalid, "--user-tokens%s is not negative: 0 sets no bound", per)
	}
	if !(cost >= 0 && cost*micros < math.MaxInt64) {
		return nestor.Allowance{}, nestor.Errorf(nestor.CodeInvalid, "--user-cost%s is an amount in US dollars that is not negative: 0 sets no bound", per)
	}
	return nestor.Allowance{Tokens: tokens, CostMicros: int64(math.Ceil(cost * micros))}, nil
}

// ListModels prints the model connections.
func ListModels(ctx context.Context, cfg Config) error {
	return withModels(ctx, cfg, temporary, func(cfg Config, models *connection.Connections) error {
		list, err := models.List(ctx, access.Local)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(cfg.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tFORMAT\tMODEL\tBASE URL\tSECRET\tFALLBACK\tDEFAULT\tNAME")
		for _, c := range list {
			secret, chosen := "no", "no"
			if c.HasSecret {
				secret = "yes"
			}
			if c.Default {
				chosen = "yes"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.ID, c.AccessFormat, c.ModelID, c.BaseURL, secret, c.FallbackID, chosen, c.Name)
		}
		return w.Flush()
	})
}

// ListOfferedModels prints the models that the provider of a connection offers.
func ListOfferedModels(ctx context.Context, cfg Config, id string) error {
	return withModels(ctx, cfg, temporary, func(cfg Config, models *connection.Connections) error {
		list, err := models.Offered(ctx, access.Local, id)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(cfg.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "MODEL\tCONTEXT\tNAME")
		for _, m := range list {
			context := ""
			if m.ContextTokens > 0 {
				context = strconv.Itoa(m.ContextTokens)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\n", m.ID, context, m.Name)
		}
		return w.Flush()
	})
}

// TestModel makes a real call over a connection and prints what came of it.
func TestModel(ctx context.Context, cfg Config, id string) error {
	return withModels(ctx, cfg, temporary, func(cfg Config, models *connection.Connections) error {
		r, err := models.Test(ctx, access.Local, id)
		if err != nil {
			return err
		}
		cost := r.Cost
		if cost == "" {
			cost = "not in the price table"
		}
		_, err = fmt.Fprintf(cfg.Stdout, "ok: %s answered in %s\nIt said: %q\nTokens:  %d in, %d out\nCost:    %s\n",
			r.Model, time.Duration(r.LatencyMS)*time.Millisecond, r.Text, r.Usage.Input, r.Usage.Output, cost)
		return err
	})
}

// ChooseModel makes a connection the default of the local user.
func ChooseModel(ctx context.Context, cfg Config, id string) error {
	return withModels(ctx, cfg, create, func(cfg Config, models *connection.Connections) error {
		c, err := models.MakeDefault(ctx, access.Local, id)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cfg.Stdout, "Where no model is named, %s is called over connection %s.\n", c.ModelID, c.ID)
		return err
	})
}

func withModels(ctx context.Context, cfg Config, missing ifMissing, fn func(Config, *connection.Connections) error) error {
	return withStore(ctx, cfg, missing, func(cfg Config, s store.Store) error {
		key, err := loadKey(cfg)
		if err != nil {
			return err
		}
		models, err := openModels(cfg, s, key, nil)
		if err != nil {
			return err
		}
		return fn(cfg, models)
	})
}

// printable makes visible what a terminal would not show in a line:
// descriptions are written by whoever made the tool.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, line)
}

// ListTools prints the tools with their whole descriptions, as models see them, and fails if a source of tools cannot be asked.
func ListTools(ctx context.Context, cfg Config) error {
	return withTools(ctx, cfg, func(cfg Config, set *toolset.Set, tools *tool.Registry, problems error) error {
		for name, t := range tools.All() {
			approval := ""
			if t.NeedsApproval {
				approval = ", needs approval"
			}
			fmt.Fprintf(cfg.Stdout, "%s  (%s%s; %s)\n", name, t.Effect, approval, printable(t.Source))
			if t.Needs != "" {
				fmt.Fprintf(cfg.Stdout, "    not offered to models yet: %s\n", printable(t.Needs))
			}
			for line := range strings.SplitSeq(strings.TrimSpace(t.Description), "\n") {
				fmt.Fprintf(cfg.Stdout, "    %s\n", printable(line))
			}
			fmt.Fprintf(cfg.Stdout, "    parameters: %s\n", printable(string(t.Parameters)))
		}
		for _, l := range set.LeftOut() {
			fmt.Fprintf(cfg.Stdout, "%s  (not offered; %s)\n    %s\n", printable(l.Name), printable(l.Source), printable(l.Reason))
		}
		return problems
	})
}

// CallTool runs a tool with arguments in JSON, "" for none, and prints its
// result. A failed call is an error. A person who calls approves by calling.
func CallTool(ctx context.Context, cfg Config, name, arguments string) error {
	return withTools(ctx, cfg, func(cfg Config, _ *toolset.Set, tools *tool.Registry, problems error) error {
		if arguments == "" {
			arguments = "{}"
		}
		if !json.Valid([]byte(arguments)) {
			return nestor.Errorf(nestor.CodeInvalid, `the arguments are JSON, such as '{"expression":"6*7"}'`)
		}
		id := nestor.NewID()
		result := tools.Execute(ctx, tool.Call{
			Scope: tool.Scope{UserID: access.Local, AskedBy: nestor.Askers{access.Local}}, ID: id, IdempotencyKey: id, Name: name, Arguments: arguments,
		})
		if result.Status != nestor.ToolCallSuccess {
			failure := nestor.Errorf(result.Code, "%s", result.Error)
			if result.Code == nestor.CodeNotFound { // it may be a tool of a source that cannot be asked
				return errors.Join(failure, problems)
			}
			return failure
		}
		_, err := fmt.Fprintln(cfg.Stdout, result.Output)
		return err
	})
}

func withTools(ctx context.Context, cfg Config, fn func(Config, *toolset.Set, *tool.Registry, error) error) error {
	return withStore(ctx, cfg, temporary, func(cfg Config, s store.Store) (err error) {
		key, err := loadKey(cfg)
		if err != nil {
			return err
		}
		mods := described(cfg)
		may, err := loadRules(cfg, mods, key)
		if err != nil {
			return err
		}
		log := slog.New(slog.DiscardHandler)
		parts, err := mods.Start(ctx, module.Host{Store: s, Feed: feed.New(s, feed.Options{Logger: log}), Logger: log})
		if err != nil {
			return err
		}
		set, err := openTools(ctx, cfg, s, may, parts, log)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, set.Close()) }()
		tools, problems := set.Tools(ctx)
		return fn(cfg, set, tool.NewRegistry(tools, tool.Options{Logger: log}), problems)
	})
}
