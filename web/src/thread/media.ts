import type { Media } from "../api/types";

/** Types that are pixels alone. Others, such as SVG, can hold markup and links. */
const pixels = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Whether files of a type can be shown as a picture. */
export const isPicture = (mediaType = "") => pixels.has(mediaType);

/** The address of an image that is safe to show, nothing for all other media. */
export function imageUrl(media: Media): string | undefined {
  if (!pixels.has(media.mimeType) || !/^[A-Za-z0-9+/]+={0,2}$/.test(media.data)) {
    return undefined;
  }
  return `data:${media.mimeType};base64,${media.data}`;
}
