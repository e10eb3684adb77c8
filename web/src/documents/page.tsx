import { Boundary } from "../ui/boundary";
import { words } from "../words/documents";
import { DocumentPart } from "./document";
import { DocumentList } from "./list";

const say = words.page;

/** Text documents with versions. On a phone the list and a document take turns. */
export default function Documents({ id }: { id?: string }) {
  return (
    <main id="main" className="flex min-h-0 flex-1">
      <div
        className={`flex w-full shrink-0 flex-col border-line md:w-72 md:border-r ${id ? "max-md:hidden" : ""}`}
      >
        <h1 className="px-4 pt-4 text-xl font-semibold">{say.documents}</h1>
        <div className="min-h-0 flex-1">
          <Boundary what={say.list}>
            <DocumentList current={id} />
          </Boundary>
        </div>
      </div>
      <div className={`min-w-0 flex-1 ${id ? "" : "max-md:hidden"}`}>
        {id ? (
          <Boundary key={id} what={say.document}>
            <DocumentPart id={id} />
          </Boundary>
        ) : (
          <p className="p-8 text-soft">{say.choose}</p>
        )}
      </div>
    </main>
  );
}
