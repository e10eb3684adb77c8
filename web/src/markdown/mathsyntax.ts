import type { CompileContext, Extension as FromMarkdown, Token } from "mdast-util-from-markdown";
import type { Code, Construct, Effects, Extension, State, TokenizeContext } from "micromark-util-types";

declare module "micromark-util-types" {
  interface TokenTypeMap {
    formula: "formula";
    formulaText: "formulaText";
  }
}

declare module "mdast" {
  interface Formula {
    type: "formula";
    data: { hName: string; hProperties: { source: string } };
    children: [];
  }
  interface RootContentMap {
    formula: Formula;
  }
}

/** The elements that formulas become: in a line of text, and in lines of their own. */
export const inlineTag = "tex-inline";
export const displayTag = "tex-display";

/**
 * Formulas in Markdown: $…$, $$…$$, \(…\) and \[…\].
 *
 * A single dollar opens a formula only before something that is no space, and
 * closes it only behind something that is no space and not before a digit, so
 * "$5 and $10" are prices.
 */
export function remarkMath(this: { data(): object }): void {
  const data = this.data() as { micromarkExtensions?: Extension[]; fromMarkdownExtensions?: FromMarkdown[] };
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), syntax];
  data.fromMarkdownExtensions = [...(data.fromMarkdownExtensions ?? []), fromMarkdown];
}

const dollar = 36;
const backslash = 92;
const closers: Record<string, string> = { $: "$", $$: "$$", "\\(": "\\)", "\\[": "\\]" };

const inLine: Construct = { name: "formula", tokenize: tokenizeInline };
const inLines: Construct = { name: "formula", tokenize: tokenizeDisplay, concrete: true };
const syntax: Extension = {
  text: { [dollar]: inLine, [backslash]: inLine },
  flow: { [dollar]: inLines, [backslash]: inLines },
};

const fromMarkdown: FromMarkdown = {
  enter: {
    formula(this: CompileContext, token: Token) {
      const source = this.sliceSerialize(token);
      const opener = /^\$\$|^\$|^\\[([]/.exec(source)?.[0] ?? "";
      const closer = closers[opener] ?? "";
      const body = source.trimEnd();
      const inner = body.slice(
        opener.length,
        body.endsWith(closer) && body.length > opener.length ? -closer.length : undefined,
      );
      const hName = opener === "$$" || opener === "\\[" ? displayTag : inlineTag;
      this.enter(
        { type: "formula", data: { hName, hProperties: { source: inner.trim() } }, children: [] },
        token,
      );
    },
  },
  exit: {
    formula(this: CompileContext, token: Token) {
      this.exit(token);
    },
  },
};

const isEol = (code: Code) => code !== null && code < -2;
const isSpace = (code: Code) => code === null || code < 0 || code === 32;
const isWordy = (code: Code) =>
  code !== null && /[\p{L}\p{N}$\\]/u.test(String.fromCodePoint(Math.max(0, code)));
const isDigit = (code: Code) => code !== null && code >= 48 && code <= 57;

/** Reads the marks that open a formula and tells which they are. */
function opening(effects: Effects, then: (opener: string) => State, nok: State): State {
  return (first) => {
    effects.consume(first);
    return (second) => {
      if (first === backslash) {
        if (second !== 40 && second !== 91) {
          return nok(second);
        }
        effects.consume(second);
        return then(second === 40 ? "\\(" : "\\[");
      }
      if (second !== dollar) {
        return then("$")(second);
      }
      effects.consume(second);
      return (third) => (third === dollar ? nok(third) : then("$$")(third));
    };
  };
}

function closing(closer: string): Construct {
  return {
    partial: true,
    tokenize(effects, ok, nok) {
      let i = 0;
      const next: State = (code) => {
        if (code !== closer.charCodeAt(i)) {
          return nok(code);
        }
        effects.consume(code);
        i++;
        return i < closer.length ? next : end;
      };
      const end: State = (code) =>
        closer === "$" && (isDigit(code) || code === dollar) ? nok(code) : ok(code);
      return (code) => {
        effects.enter("formulaText");
        return next(code);
      };
    },
  };
}

function tokenizeInline(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
  const { previous } = this;
  let closer = "";
  let last: Code = null;
  const start: State = (code) => {
    if (code === dollar && isWordy(previous)) {
      return nok(code);
    }
    effects.enter("formula");
    effects.enter("formulaText");
    return opening(effects, opened, nok)(code);
  };
  const opened = (opener: string): State => {
    closer = closers[opener] ?? "";
    return (code) => {
      effects.exit("formulaText");
      return closer === "$" && isSpace(code) ? nok(code) : between(code);
    };
  };
  const between: State = (code) => {
    if (code === null) {
      return nok(code);
    }
    if (isEol(code)) {
      effects.enter("lineEnding");
      effects.consume(code);
      effects.exit("lineEnding");
      last = code;
      return between;
    }
    if (code === closer.charCodeAt(0) && !(closer === "$" && isSpace(last))) {
      return effects.attempt(closing(closer), closed, inside)(code);
    }
    return inside(code);
  };
  const inside: State = (code) => {
    effects.enter("formulaText");
    return data(code);
  };
  /** At least one character; a backslash takes the next one with it. */
  const data: State = (code) => {
    effects.consume(code);
    last = code;
    return code === backslash ? escaped : more;
  };
  const escaped: State = (code) => {
    if (code === null || isEol(code)) {
      return more(code);
    }
    effects.consume(code);
    last = 0;
    return more;
  };
  const more: State = (code) => {
    if (code === null || isEol(code) || code === closer.charCodeAt(0)) {
      effects.exit("formulaText");
      return between(code);
    }
    return data(code);
  };
  const closed: State = (code) => {
    effects.exit("formulaText");
    effects.exit("formula");
    return ok(code);
  };
  return start;
}

/** A formula in lines of its own. Like a fence, one that nobody closes ends with what it is in. */
function tokenizeDisplay(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
  let closer = "";
  let firstLine = true;
  const start: State = (code) => {
    effects.enter("formula");
    effects.enter("formulaText");
    return opening(effects, opened, nok)(code);
  };
  const opened = (opener: string): State => {
    closer = closers[opener] ?? "";
    return opener === "$$" || opener === "\\[" ? (code) => leave(between)(code) : nok;
  };
  const leave =
    (then: State): State =>
    (code) => {
      effects.exit("formulaText");
      return then(code);
    };
  const between: State = (code) => {
    if (code === null) {
      return end(code);
    }
    if (isEol(code)) {
      firstLine = false;
      return effects.attempt(nextLine, between, end)(code);
    }
    return code === closer.charCodeAt(0)
      ? effects.attempt(closing(closer), leave(closed), inside)(code)
      : inside(code);
  };
  const inside: State = (code) => {
    effects.enter("formulaText");
    return data(code);
  };
  const data: State = (code) => {
    effects.consume(code);
    return (next) =>
      next === null || isEol(next) || next === closer.charCodeAt(0) ? leave(between)(next) : data(next);
  };
  /** Only spaces may follow in its last line; a formula in a line with other words is part of that line. */
  const closed: State = (code) => {
    if (code === null || isEol(code)) {
      return end(code);
    }
    if (!isSpace(code)) {
      return firstLine ? nok(code) : inside(code);
    }
    effects.enter("formulaText");
    effects.consume(code);
    return leave(closed);
  };
  const end: State = (code) => {
    effects.exit("formula");
    return ok(code);
  };
  return start;
}

/** The next line, unless it is outside of what the formula is in: a list, or a quotation. */
const nextLine: Construct = {
  partial: true,
  tokenize(this: TokenizeContext, effects, ok, nok) {
    return (code) => {
      effects.enter("lineEnding");
      effects.consume(code);
      effects.exit("lineEnding");
      return (next) => (this.parser.lazy[this.now().line] ? nok(next) : ok(next));
    };
  },
};
