import { useEffect } from "react";
import { listModels } from "../api/operations";
import { useLoaded } from "../ui/loaded";

const listeners = new Set<() => void>();

/** The models, asked for again whenever this page connected one. Not everybody may see them. */
export function useModels() {
  const loaded = useLoaded(listModels);
  const { reload } = loaded;
  useEffect(() => {
    const again = () => {
      void reload();
    };
    listeners.add(again);
    return () => {
      listeners.delete(again);
    };
  }, [reload]);
  return loaded;
}

export function modelsChanged(): void {
  for (const tell of listeners) {
    tell();
  }
}
