export const render = {
  text: {
    picture: "picture",
    table: "Table",
    done: "Done",
    open: "Not done",
    footnotes: "Footnotes",
    footnote: (n: number) => `Footnote ${n}`,
    backToText: (n: number) => `Back to the text at footnote ${n}`,
  },
  code: {
    /** What has no language. */
    text: "Text",
    wrap: "Wrap long lines",
    copy: "Copy code",
  },
  copy: { copy: "Copy", copied: "Copied" },
  table: {
    /** The head of a column of buttons, which are seen to be that. */
    actions: "Actions",
  },
  diagram: {
    name: "Diagram",
    /** Names the hidden frame in which diagrams are drawn. */
    frame: "Draws diagrams",
    alt: "Diagram. Its source says the same in words.",
    drawing: "Drawing the diagram…",
    failed: (why: string) => `The diagram cannot be drawn: ${why}`,
    tooLong: "it is too long. Split it into smaller diagrams.",
    tooSlow: "it took too long. Simplify it, or reload the page.",
    showSource: "Show the source",
    showPicture: "Show the diagram",
    copy: "Copy the source",
  },
  value: {
    raw: "Show as it was",
    view: "Show the view",
    copyAll: "Copy all of it",
    download: "Download",
    copyPath: (path: string) => `Copy the path ${path}`,
    copyValue: "Copy the value",
    copiedPath: "The path was copied",
    copiedValue: "The value was copied",
    list: (n: number) => (n === 1 ? "[1 entry]" : `[${n} entries]`),
    object: (n: number) => (n === 1 ? "{1 field}" : `{${n} fields}`),
    more: (characters: number) => `${characters} more`,
    moreRows: (next: number, left: number) =>
      next === left ? `Show the last ${left}` : `Show ${next} more of ${left}`,
  },
  tools: {
    zone: (zone: string, offset: string, week: string) => `${zone}, ${offset}, week ${week}`,
    piece: "Piece",
    input: "Input",
    output: "Output",
    error: "Error",
    held: "waiting for the previous call",
    retried: (times: number) => `retried ${times}×`,
    document: (title: string, version: number) => `Document ${title}, version ${version}`,
    lookInside: (role: string, instruction: string) => `Look inside ${role}: ${instruction}`,
    image: (name: string) => `Returned by the tool: ${name}`,
    you: "You",
    /** What somebody decided about a call, behind their name. */
    decided: {
      approve: "approved it",
      deny: "denied it",
      retry: "had it run again",
      done: "said that it is done",
      skip: "skipped it",
    } as Readonly<Record<string, string>>,
    sent: (call: string) => `The model wrote it as ${call}`,
    otherArguments: ", with other arguments",
  },
};
