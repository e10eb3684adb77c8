import type { Media } from "../api/types";
import { imageUrl } from "../thread/media";
import { words } from "../words";

const say = words.render.tools;

/** The images that came with a result, small. What is no image is in the text of the result. */
export function Images({ media }: { media: readonly Media[] }) {
  const images = new Map<string, string>(); // one that came twice is shown once
  for (const m of media) {
    const url = imageUrl(m);
    if (url) {
      images.set(url, m.name || m.mimeType);
    }
  }
  if (images.size === 0) {
    return null;
  }
  return (
    <div className="flex flex-wrap gap-2">
      {[...images].map(([url, name]) => (
        <a key={url} href={url} download={name} title={name}>
          <img
            src={url}
            alt={say.image(name)}
            loading="lazy"
            className="max-h-40 max-w-full rounded border border-line object-contain"
          />
        </a>
      ))}
    </div>
  );
}
