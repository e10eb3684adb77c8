/** What the person reads, the best first. Unit tests have no browser. */
const preferred = globalThis.navigator?.languages ?? [];

const nameOf = (tag: string) => tag.split("-")[0] ?? "";

/** The languages that there are: a folder each. */
const languages = ["en"];

/** The first language of the person's browser that there is. */
export const language = preferred.map(nameOf).find((name) => languages.includes(name)) ?? "en";

/** The same with the person's country, for dates and numbers. */
export const locale = preferred.find((tag) => nameOf(tag) === language) ?? language;

/** Of the same texts in several languages those that the person reads. */
export const spoken = <T>(texts: { en: T } & Record<string, T>): T => texts[language] ?? texts.en;
