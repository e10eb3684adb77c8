import type { LanguageInput } from "shiki/core";

interface Language {
  /** What it is called where people see it. */
  name: string;
  /** Other names that fences have for it. */
  also?: readonly string[];
  load: () => LanguageInput;
}

/** The languages that code is coloured in. Each is loaded when there is code of it. */
const languages: Record<string, Language> = {
  bash: { name: "Shell", also: ["sh", "shell", "zsh"], load: () => import("shiki/langs/bash.mjs") },
  c: { name: "C", also: ["h"], load: () => import("shiki/langs/c.mjs") },
  clojure: { name: "Clojure", also: ["clj"], load: () => import("shiki/langs/clojure.mjs") },
  cmake: { name: "CMake", load: () => import("shiki/langs/cmake.mjs") },
  cpp: { name: "C++", also: ["c++", "cc", "hpp"], load: () => import("shiki/langs/cpp.mjs") },
  csharp: { name: "C#", also: ["cs", "c#"], load: () => import("shiki/langs/csharp.mjs") },
  css: { name: "CSS", load: () => import("shiki/langs/css.mjs") },
  csv: { name: "CSV", load: () => import("shiki/langs/csv.mjs") },
  dart: { name: "Dart", load: () => import("shiki/langs/dart.mjs") },
  diff: { name: "Diff", also: ["patch"], load: () => import("shiki/langs/diff.mjs") },
  docker: { name: "Dockerfile", also: ["dockerfile"], load: () => import("shiki/langs/docker.mjs") },
  elixir: { name: "Elixir", also: ["ex", "exs"], load: () => import("shiki/langs/elixir.mjs") },
  erlang: { name: "Erlang", also: ["erl"], load: () => import("shiki/langs/erlang.mjs") },
  fsharp: { name: "F#", also: ["fs", "f#"], load: () => import("shiki/langs/fsharp.mjs") },
  go: { name: "Go", also: ["golang"], load: () => import("shiki/langs/go.mjs") },
  graphql: { name: "GraphQL", also: ["gql"], load: () => import("shiki/langs/graphql.mjs") },
  haskell: { name: "Haskell", also: ["hs"], load: () => import("shiki/langs/haskell.mjs") },
  hcl: { name: "HCL", also: ["terraform", "tf"], load: () => import("shiki/langs/hcl.mjs") },
  html: { name: "HTML", also: ["htm"], load: () => import("shiki/langs/html.mjs") },
  ini: { name: "INI", also: ["properties", "conf"], load: () => import("shiki/langs/ini.mjs") },
  java: { name: "Java", load: () => import("shiki/langs/java.mjs") },
  javascript: {
    name: "JavaScript",
    also: ["js", "mjs", "cjs"],
    load: () => import("shiki/langs/javascript.mjs"),
  },
  json: { name: "JSON", load: () => import("shiki/langs/json.mjs") },
  jsonc: { name: "JSON", also: ["json5"], load: () => import("shiki/langs/jsonc.mjs") },
  jsonl: { name: "JSON Lines", also: ["ndjson"], load: () => import("shiki/langs/jsonl.mjs") },
  jsx: { name: "JSX", load: () => import("shiki/langs/jsx.mjs") },
  julia: { name: "Julia", also: ["jl"], load: () => import("shiki/langs/julia.mjs") },
  kotlin: { name: "Kotlin", also: ["kt"], load: () => import("shiki/langs/kotlin.mjs") },
  latex: { name: "LaTeX", also: ["tex"], load: () => import("shiki/langs/latex.mjs") },
  lua: { name: "Lua", load: () => import("shiki/langs/lua.mjs") },
  make: { name: "Makefile", also: ["makefile"], load: () => import("shiki/langs/make.mjs") },
  markdown: { name: "Markdown", also: ["md"], load: () => import("shiki/langs/markdown.mjs") },
  mermaid: { name: "Mermaid", load: () => import("shiki/langs/mermaid.mjs") },
  nginx: { name: "nginx", load: () => import("shiki/langs/nginx.mjs") },
  "objective-c": { name: "Objective-C", also: ["objc"], load: () => import("shiki/langs/objective-c.mjs") },
  ocaml: { name: "OCaml", also: ["ml"], load: () => import("shiki/langs/ocaml.mjs") },
  perl: { name: "Perl", also: ["pl"], load: () => import("shiki/langs/perl.mjs") },
  php: { name: "PHP", load: () => import("shiki/langs/php.mjs") },
  powershell: { name: "PowerShell", also: ["ps1", "ps"], load: () => import("shiki/langs/powershell.mjs") },
  proto: { name: "Protocol Buffers", also: ["protobuf"], load: () => import("shiki/langs/proto.mjs") },
  python: { name: "Python", also: ["py"], load: () => import("shiki/langs/python.mjs") },
  r: { name: "R", load: () => import("shiki/langs/r.mjs") },
  ruby: { name: "Ruby", also: ["rb"], load: () => import("shiki/langs/ruby.mjs") },
  rust: { name: "Rust", also: ["rs"], load: () => import("shiki/langs/rust.mjs") },
  scala: { name: "Scala", load: () => import("shiki/langs/scala.mjs") },
  scss: { name: "SCSS", also: ["sass"], load: () => import("shiki/langs/scss.mjs") },
  shellsession: { name: "Terminal", also: ["console"], load: () => import("shiki/langs/shellsession.mjs") },
  sql: { name: "SQL", also: ["postgresql", "sqlite"], load: () => import("shiki/langs/sql.mjs") },
  svelte: { name: "Svelte", load: () => import("shiki/langs/svelte.mjs") },
  swift: { name: "Swift", load: () => import("shiki/langs/swift.mjs") },
  toml: { name: "TOML", load: () => import("shiki/langs/toml.mjs") },
  tsx: { name: "TSX", load: () => import("shiki/langs/tsx.mjs") },
  typescript: {
    name: "TypeScript",
    also: ["ts", "mts", "cts"],
    load: () => import("shiki/langs/typescript.mjs"),
  },
  vue: { name: "Vue", load: () => import("shiki/langs/vue.mjs") },
  xml: { name: "XML", also: ["svg", "xsl"], load: () => import("shiki/langs/xml.mjs") },
  yaml: { name: "YAML", also: ["yml"], load: () => import("shiki/langs/yaml.mjs") },
  zig: { name: "Zig", load: () => import("shiki/langs/zig.mjs") },
};

const ids = new Map(
  Object.entries(languages).flatMap(([id, { also = [] }]) =>
    [id, ...also].map((name) => [name, id] as const),
  ),
);

/** A language by any of its names, in any case. */
export function languageOf(name: string): (Language & { id: string }) | undefined {
  const id = ids.get(name.toLowerCase());
  const language = id && languages[id];
  return language ? { ...language, id } : undefined;
}
