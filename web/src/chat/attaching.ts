import { useRef, useState } from "react";
import { partOf, uploadFile } from "../api/files";
import { ApiError, explain } from "../api/http";
import type { Part } from "../api/types";
import { useWritten } from "../data/hooks";
import { written } from "../data/written";
import { words } from "../words";

const say = words.composer;

/** A file on its way into a message: with its part when it is uploaded, with words when it was not. */
export interface Attachment {
  key: string;
  name: string;
  size: number;
  part?: Part;
  error?: string;
  /** Uploads it again, if that may help. */
  again?: () => void;
}

/**
 * The files of a message that is being written. They are uploaded at once, and named when
 * it is sent. Those that are uploaded are kept with its text.
 */
export function useAttaching(chatId: string) {
  const { files } = useWritten(chatId);
  const [pending, setPending] = useState<readonly Attachment[]>([]);
  const last = useRef(0);
  /** Those on their way that nobody has removed since. */
  const wanted = useRef(new Set<string>());

  const change = (key: string, to: Partial<Attachment>) =>
    setPending((now) => now.map((a) => (a.key === key ? { ...a, ...to } : a)));
  const drop = (key: string) => {
    wanted.current.delete(key);
    setPending((now) => now.filter((a) => a.key !== key));
  };

  const send = (key: string, name: string, file: File) => {
    change(key, { error: undefined, again: undefined });
    uploadFile(file).then(
      (uploaded) => {
        if (wanted.current.has(key)) {
          drop(key);
          written.attach(chatId, [partOf(uploaded, name)]);
        }
      },
      (e: unknown) => {
        const unreached = e instanceof ApiError && (e.code === "offline" || e.status >= 500);
        change(key, {
          error: unreached ? say.unreached : say.refused(explain(e)),
          again: unreached ? () => send(key, name, file) : undefined,
        });
      },
    );
  };

  const add = (list: Iterable<File>) => {
    for (const file of list) {
      const key = `pending ${++last.current}`;
      const name = file.name || say.pasted;
      wanted.current.add(key);
      setPending((now) => [...now, { key, name, size: file.size }]);
      send(key, name, file);
    }
  };

  const uploaded = files.map((part): Attachment => {
    const name = part.name ?? part.type;
    return { key: `${part.fileId}/${name}`, name, size: part.size ?? 0, part };
  });

  return {
    list: [...uploaded, ...pending],
    add,
    remove: ({ key, part }: Attachment) =>
      part ? written.set(chatId, { files: files.filter((f) => f !== part) }) : drop(key),
    /** What could not be uploaded goes when the message is sent. */
    clear: () => setPending([]),
    /** Something is neither uploaded nor refused yet. */
    busy: pending.some((a) => !a.error),
    /** How many were refused or did not arrive. */
    failures: pending.filter((a) => a.error).length,
    parts: files,
  };
}

export type Attaching = ReturnType<typeof useAttaching>;
