import { useRef, useState } from "react";
import { partOf, uploadFile } from "../api/files";
import { explain } from "../api/http";
import type { Part } from "../api/types";

/** A file on its way into a message: with its part when it is uploaded, with words when it is refused. */
export interface Attachment {
  key: number;
  name: string;
  size: number;
  part?: Part;
  error?: string;
}

/**
 * The files of a message that is being written, at first those that one had which is written anew. They are
 * uploaded at once, and named when it is sent.
 */
export function useAttaching(had: readonly Part[]) {
  const [list, setList] = useState<readonly Attachment[]>(() =>
    had.map((part, i) => ({ key: -i - 1, name: part.name ?? part.type, size: part.size ?? 0, part })),
  );
  const last = useRef(0);

  const add = (files: Iterable<File>) => {
    for (const file of files) {
      const key = ++last.current;
      const name = file.name || "pasted";
      const settle = (end: Partial<Attachment>) =>
        setList((now) => now.map((a) => (a.key === key ? { ...a, ...end } : a)));
      setList((now) => [...now, { key, name, size: file.size }]);
      uploadFile(file).then(
        (uploaded) => settle({ part: partOf(uploaded, name) }),
        (e) => settle({ error: explain(e) }),
      );
    }
  };

  return {
    list,
    add,
    remove: (key: number) => setList((now) => now.filter((a) => a.key !== key)),
    clear: () => setList([]),
    /** Something is neither uploaded nor refused yet. */
    busy: list.some((a) => !a.part && !a.error),
    parts: list.flatMap((a) => (a.part ? [a.part] : [])),
  };
}
