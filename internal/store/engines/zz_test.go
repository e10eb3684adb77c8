package engines_test
import ("testing";"math";"strings";"encoding/base64";"github.com/nestorhq/nestor";"github.com/nestorhq/nestor/internal/store";"github.com/nestorhq/nestor/internal/store/engines";"encoding/json")
func TestZZ(t *testing.T){
 engines.Each(t, func(t *testing.T, open engines.Database){
  s:=open(t,store.Options{})
  put:=func(p nestor.Path,b string){ err:=s.Update(t.Context(),func(tx store.Tx)error{_,err:=tx.Put(p,json.RawMessage(b),0);return err}); t.Log("put",p,b,err)}
  get:=func(q store.Query){ page,err:=ask(t,s,q); t.Log(asJSON(q),"\n", print(page.Items), page.Next!="",err)}
  put("users/u/t/a",`{"v":1e20}`)
  put("users/u/t/b",`{"v":1.152921504606847232e18}`)
  put("users/u/t/c",`{"v":9.3e18}`)
  put("users/u/t/d",`{"v":1}`)
  err:=s.Update(t.Context(),func(tx store.Tx)error{_,err:=tx.Patch("users/u/t/a",map[string]any{"w":1},0);return err})
  t.Log("patch",err)
  get(store.Query{Collection:"users/u/t"})
  get(store.Query{Collection:"users/u/t",Where:store.Where("v",store.Eq,json.Number("1.152921504606847232e18"))})
  get(store.Query{Collection:"users/u/t",Where:store.Where("v",store.Eq,json.Number("1152921504606847232"))})
  get(store.Query{Collection:"users/u/t",Where:store.Where("v",store.Eq,1e20)})
  get(store.Query{Collection:"users/u/t",OrderBy:[]store.Order{{Field:"v",Desc:true}},Limit:1})
  get(store.Query{Collection:"users/u/t",Where:store.Where("v",store.Eq,math.NaN())})
  get(store.Query{Collection:"users/u/t",Where:store.Where("v",store.Lt,math.Inf(1))})
  get(store.Query{Collection:"users/u/t",Where:store.Where("v",store.Eq,"\xff")})
  enc:=base64.RawURLEncoding.EncodeToString
  get(store.Query{Collection:"users/u/t",OrderBy:[]store.Order{{Field:"v"}},Cursor:enc([]byte(`{"v":[99999999999,0,"",1]}`))})
  get(store.Query{Collection:"users/u/t",OrderBy:[]store.Order{{Field:"v"}},Cursor:enc([]byte(`{"v":[2,1e400,"",1]}`))})
  for _,f:=range []string{"x","x.y"} {
  in:=make([]string,200); for i:=range in{in[i]="x"}
  f2:=strings.Repeat(f+".",200/(len(f)+1)); f2=f2[:len(f2)-1]
  var or []store.Filter; for range 99 { or=append(or,*store.Where(f2,store.In,in)) }
  page,err:=ask(t,s,store.Query{Collection:"users/u/t",Where:&store.Filter{Or:or}})
  t.Log(len(f2), len(page.Items),err)
  }
 })
}
