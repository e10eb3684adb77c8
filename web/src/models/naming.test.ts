import { expect, test } from "vitest";
import type { Model } from "../api/operations";
import { freeId, freeName } from "./naming";

const model = (id: string, name: string) => ({ id, name }) as Model;
const two = [model("openai", "OpenAI"), model("openai-2", "OpenAI 2")];

test("a second connection of a provider has a name and an id of its own", () => {
  expect(freeName("OpenAI", [])).toBe("OpenAI");
  expect(freeName("OpenAI", two)).toBe("OpenAI 3");
  expect(freeName("Gemini", two)).toBe("Gemini");
  expect(freeId("OpenAI", two)).toBe("openai-3");
});

test("any name becomes an id that an address can hold", () => {
  expect(freeId("My fast model!", [])).toBe("my-fast-model");
  expect(freeId("  ÄÖ / ü ", [])).toBe("model");
  expect(freeId("天気", [model("model", "x")])).toBe("model-2");
  expect(freeId("x".repeat(100), [])).toHaveLength(40);
});
