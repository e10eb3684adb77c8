package engines_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/store"
)

func TestBothEnginesHaveTheSameSchema(t *testing.T) {
	lite, post := sqliteSchema(t), postgresSchema(t)

	delete(post, "nodes")   // SQLite runs the jobs of one node only
	delete(post, "commits") // and loses no answer to a commit on the way
	post["changes"].columns = slices.DeleteFunc(post["changes"].columns, func(c column) bool { return c.name == "token" })
	// SQLite has an index on the expression that PostgreSQL has a column for, which spares updates of the path writes to indexes.
	post["jobs"].columns = slices.DeleteFunc(post["jobs"].columns, func(c column) bool { return c.name == "tenant" })
	for _, i := range post["jobs"].indexes {
		if at := slices.Index(i.columns, "tenant"); at >= 0 {
			i.columns[at] = "expression"
		}
	}

	if got, want := slices.Sorted(maps.Keys(post)), slices.Sorted(maps.Keys(lite)); !slices.Equal(got, want) {
		t.Fatalf("the tables of PostgreSQL are\n%v, those of SQLite\n%v", got, want)
	}
	for name, l := range lite {
		t.Run(name, func(t *testing.T) {
			p := post[name]
			same(t, "columns", p.columns, l.columns)
			same(t, "primary key", p.key, l.key)
			sameFunc(t, "indexes", p.indexes, l.indexes, index.equal)
			sameFunc(t, "foreign keys", p.foreign, l.foreign, foreignKey.equal)
			same(t, "values in checks", p.allLiterals(), l.allLiterals())
			for _, c := range l.columns {
				same(t, "values of "+c.name, p.values(c.name), l.values(c.name))
			}
		})
	}
}

func TestEachEngineHasWhatTheCatalogueSays(t *testing.T) {
	for name, schema := range map[string]map[string]*table{"sqlite": sqliteSchema(t), "postgres": postgresSchema(t)} {
		for _, c := range store.DefaultCatalogue.Tables() {
			t.Run(name+"/"+c.Name, func(t *testing.T) {
				got := schema[c.Name]
				if got == nil {
					t.Fatal("there is no such table")
				}
				same(t, "primary key", got.key, append(c.KeyColumns(), "id"))
				want := c.Columns()
				for _, f := range c.Fields {
					want = append(want, f.Column)
				}
				same(t, "names of columns", slices.Sorted(slices.Values(names(got.columns))), slices.Sorted(slices.Values(want)))
				for _, name := range c.Columns() {
					if col := got.column(name); col.nullable || col.from != "" {
						t.Errorf("column %s is %+v", name, *col)
					}
				}
				for _, f := range c.Fields {
					if col := got.column(f.Column); *col != (column{name: f.Column, kind: "TEXT", nullable: true, from: f.Name}) {
						t.Errorf("column %s is %+v", f.Column, *col)
					}
					same(t, "values of "+f.Name, got.values(f.Column), slices.Sorted(slices.Values(f.Enum)))
				}
				var foreign []foreignKey
				if c.Parent != nil {
					foreign = []foreignKey{{columns: c.KeyColumns(), table: c.Parent.Name, refers: append(c.Parent.KeyColumns(), "id"), cascades: true}}
				}
				sameFunc(t, "foreign keys", got.foreign, foreign, foreignKey.equal)
				if c == store.SubAgents {
					return // what one chat has is few
				}
				byOrder := append(c.KeyColumns(), "created_at", "created_seq")
				if !slices.ContainsFunc(got.indexes, func(i index) bool { return slices.Equal(i.columns, byOrder) }) {
					t.Errorf("no index serves the default order %v", byOrder)
				}
				if c == store.SubAgentMessages || c == store.SubAgentToolCalls {
					return // what one agent has is few
				}
				for _, key := range [][]string{c.KeyColumns(), c.KeyColumns()[:max(1, c.ScopeKeys)]} {
					bySeq := append(slices.Clone(key), "seq")
					if !slices.ContainsFunc(got.indexes, func(i index) bool { return slices.Equal(i.columns, bySeq) }) {
						t.Errorf("no index finds what changed in a scope, %v", bySeq)
					}
				}
			})
		}
	}
}

func TestListsOfChatsAreReadFromAnIndex(t *testing.T) {
	lite, post := openSQLite(t), openPostgres(t)
	post.db.SetMaxOpenConns(1)
	for _, setting := range []string{"enable_seqscan", "enable_bitmapscan"} { // which are quicker for an empty table
		post.column("SELECT set_config('" + setting + "', 'off', false)")
	}
	for list, serves := range map[string]string{
		"account_id = 'a' ORDER BY created_at, created_seq":        "chats_account",
		"project_id = 'p' ORDER BY created_at, created_seq":        "chats_project",
		"user_id = 'u' ORDER BY created_at, created_seq":           "chats_order",
		"user_id = 'u' ORDER BY updated_at DESC, created_seq DESC": "chats_updated",
		"user_id = 'u' AND seq > 7 ORDER BY seq":                   "chats_seq",
	} {
		query := "SELECT id FROM chats WHERE " + list + " LIMIT 50"
		var plan string
		lite.each("EXPLAIN QUERY PLAN "+query, "", func(scan func(...any)) {
			var ids [3]int
			var step string
			scan(&ids[0], &ids[1], &ids[2], &step)
			plan += step + "; "
		})
		if !strings.Contains(plan, serves) || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("SQLite lists %s by: %s", list, plan)
		}
		plan = strings.Join(post.column("EXPLAIN (COSTS OFF) "+query), "; ")
		if !strings.Contains(plan, serves) || strings.Contains(plan, "Sort") {
			t.Errorf("PostgreSQL lists %s by: %s", list, plan)
		}
	}
}

func TestBothEnginesAreAtTheSameMigration(t *testing.T) {
	var applied [2][]string
	for i, db := range []database{openSQLite(t), openPostgres(t)} {
		applied[i] = db.column("SELECT version || ' ' || name FROM migrations ORDER BY version")
	}
	if len(applied[0]) == 0 || !slices.Equal(applied[0], applied[1]) {
		t.Errorf("SQLite has %v, PostgreSQL %v", applied[0], applied[1])
	}
}

func TestPostgresComparesTextByCodePoint(t *testing.T) {
	// SQLite does so unless told otherwise.
	wrong := openPostgres(t).column(`SELECT c.relname || '.' || a.attname
		FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname <> 'migrations'
		AND a.attnum > 0 AND a.atttypid = 'text'::regtype AND a.attcollation <> (SELECT oid FROM pg_collation WHERE collname = 'C')`)
	if len(wrong) > 0 {
		t.Errorf("these columns follow the database's locale: %v", wrong)
	}
}

func TestSQLiteChecksTypes(t *testing.T) {
	// PostgreSQL cannot do otherwise.
	if loose := openSQLite(t).column("SELECT name FROM pragma_table_list WHERE schema = 'main' AND NOT strict AND name NOT LIKE 'sqlite_%'"); len(loose) > 0 {
		t.Errorf("these tables are not STRICT: %v", loose)
	}
}

// table is what a live database says about one.
type table struct {
	columns []column // in order
	key     []string
	indexes []index // besides that of the primary key, sorted
	foreign []foreignKey
	checks  []string
}

type column struct {
	name     string
	kind     string // as SQLite calls it
	nullable bool
	from     string // what it is generated from: a field of the body, or an expression
}

type index struct {
	name    string // "" for that of a UNIQUE constraint
	columns []string
	unique  bool
	where   string // the words of its condition
}

type foreignKey struct {
	columns  []string
	table    string
	refers   []string
	cascades bool
}

func (a index) equal(b index) bool {
	return a.name == b.name && a.unique == b.unique && a.where == b.where && slices.Equal(a.columns, b.columns)
}

func (a foreignKey) equal(b foreignKey) bool {
	return a.table == b.table && a.cascades == b.cascades && slices.Equal(a.columns, b.columns) && slices.Equal(a.refers, b.refers)
}

func (t *table) column(name string) *column {
	for i := range t.columns {
		if t.columns[i].name == name {
			return &t.columns[i]
		}
	}
	return nil
}

func names(cs []column) (ns []string) {
	for _, c := range cs {
		ns = append(ns, c.name)
	}
	return ns
}

var (
	literal    = regexp.MustCompile(`'([^']*)'`)
	oneOfThese = regexp.MustCompile(`(\w+) = ANY \(ARRAY\[([^\]]*)\]\)`)
	equalsThis = regexp.MustCompile(`(\w+) = '([^']*)'`)
)

// values are those that the checks allow for a column, sorted.
func (t *table) values(column string) (vs []string) {
	for _, check := range t.checks {
		for _, m := range oneOfThese.FindAllStringSubmatch(check, -1) {
			if m[1] == column {
				vs = append(vs, literals(m[2])...)
			}
		}
		for _, m := range equalsThis.FindAllStringSubmatch(check, -1) {
			if m[1] == column {
				vs = append(vs, m[2])
			}
		}
	}
	slices.Sort(vs)
	return slices.Compact(vs)
}

// allLiterals has one line for each check, sorted.
func (t *table) allLiterals() (lines []string) {
	for _, check := range t.checks {
		lines = append(lines, strings.Join(literals(check), " "))
	}
	slices.Sort(lines)
	return lines
}

func literals(text string) (ls []string) {
	for _, m := range literal.FindAllStringSubmatch(text, -1) {
		ls = append(ls, m[1])
	}
	return ls
}

// condition reduces an index's condition to what both engines write alike: the
// column, and the values it has or that it has one.
func condition(text string) string {
	if text == "" {
		return ""
	}
	words := strings.Fields(strings.Trim(text, "( "))
	if strings.Contains(text, "IS NOT NULL") {
		return words[0] + " is there"
	}
	return words[0] + " is " + strings.Join(literals(text), " or ")
}

func same[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	sameFunc(t, what, got, want, func(a, b T) bool { return a == b })
}

func sameFunc[T any](t *testing.T, what string, got, want []T, equal func(a, b T) bool) {
	t.Helper()
	if !slices.EqualFunc(got, want, equal) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}
