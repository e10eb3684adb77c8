import { memo } from "react";
import ReactMarkdown, { type Components, defaultUrlTransform, type Options } from "react-markdown";
import remarkGfm from "remark-gfm";
import { CodeBlock } from "../ui/code";
import { Diagram, diagramLanguage } from "./diagram";
import { heading, Picture, TaskMark, TextLink, WideTable } from "./elements";
import { noteTag, remarkNotes } from "./footnotes";
import { Formula } from "./formula";
import { displayTag, inlineTag, remarkMath } from "./mathsyntax";
import { NoteMark } from "./notes";

const plugins: Options["remarkPlugins"] = [remarkGfm, remarkMath, remarkNotes];

const components = {
  a: TextLink,
  img: Picture,
  table: WideTable,
  input: TaskMark,
  h1: heading(1),
  h2: heading(2),
  h3: heading(3),
  h4: heading(4),
  h5: heading(5),
  h6: heading(6),
  pre: ({ children }) => <>{children}</>,
  code: ({ className, children }) => {
    const text = String(children ?? "");
    const language = /language-(\S+)/.exec(className ?? "")?.[1];
    return language || text.endsWith("\n") ? (
      <Code text={text.replace(/\n$/, "")} language={language} />
    ) : (
      <code>{children}</code>
    );
  },
  [inlineTag]: ({ source }: { source: string }) => <Formula source={source} display={false} />,
  [displayTag]: ({ source }: { source: string }) => <Formula source={source} display />,
  [noteTag]: NoteMark,
} as Components;

/** Pictures that are in the text itself stay, if they are pixels; other addresses are those that browsers only go to. */
const address: Options["urlTransform"] = (url, key) =>
  key === "src" && /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/.test(url)
    ? url
    : defaultUrlTransform(url);

/** One block of a text. HTML in it is shown, never interpreted. */
export const MarkdownBlock = memo(function MarkdownBlock({ text }: { text: string }) {
  return (
    <ReactMarkdown remarkPlugins={plugins} components={components} urlTransform={address}>
      {text}
    </ReactMarkdown>
  );
});

interface CodeProps {
  text: string;
  language?: string;
  /** It is still being written. */
  live?: boolean;
}

/** A block of code: a diagram if it is one and complete. */
export const Code = memo(function Code({ text, language, live }: CodeProps) {
  return language === diagramLanguage && !live ? (
    <Diagram source={text} />
  ) : (
    <CodeBlock text={text} language={language} live={live} />
  );
});
