import { memo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { Link } from "wouter";
import { CodeBlock } from "./code";

const plugins = [remarkGfm];

const components: Components = {
  a: ({ children, href }) =>
    // Agents link to the documents that they write.
    href?.startsWith("/documents/") ? (
      <Link href={href}>{children}</Link>
    ) : (
      <a href={href} target="_blank" rel="noreferrer noopener">
        {children}
      </a>
    ),
  // Pictures of elsewhere would tell others what is read here.
  img: ({ src, alt }) =>
    typeof src === "string" && src.startsWith("data:") ? (
      <img src={src} alt={alt} />
    ) : (
      <a href={typeof src === "string" ? src : undefined} target="_blank" rel="noreferrer noopener">
        {alt || "image"}
      </a>
    ),
  pre: ({ children }) => <>{children}</>,
  code: ({ className, children }) => {
    const text = String(children ?? "");
    const language = /language-(\S+)/.exec(className ?? "")?.[1];
    return language || text.includes("\n") ? (
      <CodeBlock text={text.replace(/\n$/, "")} language={language} />
    ) : (
      <code>{children}</code>
    );
  },
};

/** Text of a person or model. HTML in it is shown, never interpreted. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className="prose min-w-0 break-words">
      <ReactMarkdown remarkPlugins={plugins} components={components}>
        {text}
      </ReactMarkdown>
    </div>
  );
});
