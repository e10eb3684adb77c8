import { describe, expect, test } from "vitest";
import { imageUrl } from "./media";

describe("the images of a result", () => {
  test("are shown if they are pixels", () => {
    for (const mimeType of ["image/png", "image/jpeg", "image/gif", "image/webp"]) {
      expect(imageUrl({ mimeType, data: "iVBORw0=" })).toBe(`data:${mimeType};base64,iVBORw0=`);
    }
  });

  test("are not shown if they could be anything else", () => {
    for (const mimeType of [
      "image/svg+xml",
      "text/html",
      "application/pdf",
      "IMAGE/PNG",
      "image/png;x",
      "image/png,<svg>",
      "",
    ]) {
      expect(imageUrl({ mimeType, data: "iVBORw0=" })).toBeUndefined();
    }
  });

  test("are not shown if their data are not base64", () => {
    for (const data of ["", "<svg/>", "iVBO\nRw0=", 'x" onerror="y', "=="]) {
      expect(imageUrl({ mimeType: "image/png", data })).toBeUndefined();
    }
  });
});
