// Package doctext reads the text of files that nobody vouches for: Markdown, plain
// text, .docx and .pdf. [Text] decides by the content what a file is, bounds how much
// it reads, and says clearly why it refuses. It is pure: it stores nothing, and the
// same file has the same text.
package doctext
