import { Paperclip } from "lucide-react";
import { type DragEvent, type ReactNode, useState } from "react";
import { words } from "../words";

interface Props {
  onFiles: (files: FileList) => void;
  children: ReactNode;
  className: string;
}

const hasFiles = (e: DragEvent) => e.dataTransfer.types.includes("Files");

/** The whole of a chat: files can be dropped anywhere on it. */
export function DropArea({ onFiles, children, className }: Props) {
  const [over, setOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: there is a button for those who cannot drop
    <div
      className={`relative ${className}`}
      onDragOver={(e) => {
        if (hasFiles(e)) {
          e.preventDefault();
          setOver(true);
        }
      }}
      onDragLeave={(e) => {
        if (!(e.relatedTarget instanceof Node && e.currentTarget.contains(e.relatedTarget))) {
          setOver(false);
        }
      }}
      onDrop={(e) => {
        setOver(false);
        if (e.dataTransfer.files.length > 0) {
          e.preventDefault();
          onFiles(e.dataTransfer.files);
        }
      }}
    >
      {children}
      {over && (
        <div className="pointer-events-none absolute inset-2 z-20 flex items-center justify-center rounded-2xl border-2 border-dashed border-accent bg-accent-wash/80">
          <p className="flex items-center gap-2 font-medium">
            <Paperclip size={18} aria-hidden /> {words.composer.drop}
          </p>
        </div>
      )}
    </div>
  );
}
