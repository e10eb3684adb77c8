import { useEffect } from "react";

/** The names under which theme.css says how finds look. */
const [others, current] = ["find", "find-current"];

/**
 * Marks a text wherever it is drawn in the conversation, and the row that is shown. Rows come and go as they are
 * scrolled, so what is drawn is looked at again whenever it changes.
 */
export function usePainted(typed: string, key: string | undefined): void {
  useEffect(() => {
    const area = document.querySelector('main [role="log"]');
    if (!area || !("highlights" in CSS) || (!typed && !key)) {
      return;
    }
    let frame = 0;
    const paint = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => {
        const ranges = typed ? rangesOf(area, typed.toLowerCase()) : [];
        const isCurrent = (r: Range) =>
          r.startContainer.parentElement?.closest("[data-key]")?.getAttribute("data-key") === key;
        CSS.highlights.set(others, new Highlight(...ranges.filter((r) => !isCurrent(r))));
        CSS.highlights.set(current, new Highlight(...ranges.filter(isCurrent)));
      });
      for (const row of area.querySelectorAll("[data-key]")) {
        row.toggleAttribute("data-found", row.getAttribute("data-key") === key);
      }
    };
    const observer = new MutationObserver(paint);
    observer.observe(area, { childList: true, subtree: true, characterData: true });
    paint();
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete(others);
      CSS.highlights.delete(current);
      for (const row of area.querySelectorAll("[data-found]")) {
        row.removeAttribute("data-found");
      }
    };
  }, [typed, key]);
}

/** Where a text stands in what is drawn, as far as it is in one piece. */
function rangesOf(area: Element, wanted: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(area, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent?.toLowerCase() ?? "";
    if (text.length !== node.textContent?.length) {
      continue; // a letter that has another length in lower case moves all after it
    }
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      ranges.push(range);
    }
  }
  return ranges;
}
