import { Download } from "lucide-react";
import { useCallback } from "react";
import { whoAmI } from "../api/me";
import { reportUsage, type UsageReport } from "../api/operations";
import { useDocuments } from "../data/hooks";
import { cost, tokens } from "../thread/format";
import { Button } from "../ui/button";
import { Choices } from "../ui/choices";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";
import { Select } from "../ui/select";
import { words } from "../words/operations";
import { useAddress } from "./address";
import { Chart, mostSeries } from "./chart";
import { Cell, Table } from "./table";
import { asCSV, daysOf, dollars, type Group, type Measure, type Sum, seriesOf, sumsOf } from "./usagereport";

const say = words.usage;

type Whose = "mine" | "server";

const formats: Record<Measure, (n: number) => string> = {
  cost,
  tokens: (n) => tokens(n),
  calls: (n) => String(n),
};

/** One of what there is, or else the first. */
const oneOf = <T extends string>(all: readonly T[], value: string): T =>
  all.find((v) => v === value) ?? (all[0] as T);

/** What was used, over time, and by whom. */
export default function Usage() {
  const admin = useLoaded(whoAmI).value?.admin ?? false;
  const { values, change } = useAddress(["whose", "by", "measure", "days"] as const);
  const whose: Whose = admin && values.whose === "server" ? "server" : "mine";
  const groups: readonly Group[] =
    whose === "server" ? ["day", "user", "model", "role"] : ["day", "model", "chat", "role"];
  const by = oneOf(groups, values.by);
  const measure = oneOf(Object.keys(say.measures) as Measure[], values.measure || "tokens");
  const days = Object.hasOwn(say.spans, values.days) ? Number(values.days) : 30;
  const load = useCallback(() => reportUsage(whose, asQuery(by, days)), [whose, by, days]);
  const { value: report, error } = useLoaded(load, 10_000);
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
        {admin && (
          <Choices
            quiet
            legend={say.whose}
            options={(["mine", "server"] as const).map((w) => ({ value: w, label: say[w] }))}
            value={whose}
            onChange={(w) => change({ whose: w === "mine" ? "" : w, by: "" })}
          />
        )}
        <Choices
          quiet
          legend={say.measure}
          options={(Object.keys(say.measures) as Measure[]).map((m) => ({
            value: m,
            label: say.measures[m],
          }))}
          value={measure}
          onChange={(m) => change({ measure: m })}
        />
        <Select label={say.by} value={by} onChange={(to) => change({ by: to })}>
          {groups.map((g) => (
            <option key={g} value={g}>
              {say.groups[g]}
            </option>
          ))}
        </Select>
        <Select label={say.span} value={String(days)} onChange={(to) => change({ days: to })}>
          {Object.entries(say.spans).map(([n, label]) => (
            <option key={n} value={n}>
              {label}
            </option>
          ))}
        </Select>
      </div>
      {error && <Notice text={error} />}
      {report && <Told report={report} by={by} measure={measure} />}
    </div>
  );
}

function asQuery(by: Group, days: number): URLSearchParams {
  const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
  return new URLSearchParams({
    groupBy: by === "day" ? "day" : `day,${by}`,
    from: day(days - 1),
    to: day(0),
  });
}

function Told({ report, by, measure }: { report: UsageReport; by: Group; measure: Measure }) {
  const name = useNames(by);
  // Until the new answer is there the old one is shown, which may not know the group.
  const group = report.groupBy?.includes(by) ? by : "day";
  if (!report.rows?.length) {
    return (
      <div className="space-y-2 rounded-xl border border-dashed border-line p-6 text-center text-sm text-faint">
        <p>{say.empty}</p>
        <p>{say.teach}</p>
      </div>
    );
  }
  const label =
    group === "day"
      ? say.label(say.measures[measure])
      : say.labelBy(say.measures[measure], say.groups[group]);
  return (
    <>
      <Chart
        label={label}
        days={daysOf(report)}
        series={seriesOf(report, group, measure, mostSeries).map((s) => ({
          name: s.name === undefined ? say.others(s.others) : name(s.name),
          values: s.values,
        }))}
        words={formats[measure]}
        legend={group !== "day"}
      />
      <SumTable report={report} group={group} name={name} />
      <div className="flex flex-wrap items-center gap-3">
        <Button icon={<Download size={15} aria-hidden />} onClick={() => download(report)}>
          {say.csv}
        </Button>
        <span className="text-xs text-faint">{say.days}</span>
      </div>
    </>
  );
}

const exact = new Intl.NumberFormat();

function SumTable(props: { report: UsageReport; group: Group; name: (value: string) => string }) {
  const { report, group, name } = props;
  const row = (s: Omit<Sum, "name">) => (
    <>
      <Cell className="text-right">{exact.format(s.calls)}</Cell>
      <Cell className="text-right">{exact.format(s.inputTokens)}</Cell>
      <Cell className="text-right">{exact.format(s.outputTokens)}</Cell>
      <Cell className="text-right">{dollars(s.costMicros)}</Cell>
    </>
  );
  return (
    <Table
      caption={say.caption(say.groups[group])}
      heads={[say.groups[group], say.heads.calls, say.heads.input, say.heads.output, say.heads.cost]}
      numbers
      empty={say.empty}
      foot={
        <tr className="font-medium tabular-nums">
          <Cell>{say.total}</Cell>
          {row(report.total)}
        </tr>
      }
    >
      {sumsOf(report, group).map((s) => (
        <tr key={s.name} className="tabular-nums">
          <Cell className="max-w-80 min-w-32 break-words">{name(s.name)}</Cell>
          {row(s)}
        </tr>
      ))}
    </Table>
  );
}

/** How the values of a group are called. */
function useNames(by: Group): (value: string) => string {
  const chats = useDocuments("chats");
  return (value) => {
    if (by === "role") {
      return value || say.noRole;
    }
    if (by !== "chat") {
      return value;
    }
    if (!value) {
      return say.noChat;
    }
    const id = value.split("/").at(-1);
    const chat = chats.find((c) => c.id === id);
    return chat ? chat.title || words.runs.untitled : `${say.goneChat} (${id})`;
  };
}

function download(report: UsageReport): void {
  const url = URL.createObjectURL(new Blob([asCSV(report)], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = say.fileName(report.from, report.to);
  link.click();
  URL.revokeObjectURL(url);
}
