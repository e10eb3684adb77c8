import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { providers } from "./providers";

test("the models are those that the server calls by default", () => {
  const go = readFileSync(new URL("../../../internal/connection/env.go", import.meta.url), "utf8");
  const defaults = Object.fromEntries(
    [...go.matchAll(/format: (OpenAI|Anthropic|Gemini),.*?\bmodel:\s+"([^"]+)"/gs)].map(([, name, model]) => [
      name?.toLowerCase(),
      model,
    ]),
  );
  const shown = providers.filter((p) => !p.needsUrl).map((p) => [p.id, p.model]);
  expect(Object.fromEntries(shown)).toEqual(defaults);
});
