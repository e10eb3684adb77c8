import { useCallback, useState } from "react";
import { whoAmI } from "../api/me";
import { askMetric, type MetricAnswer, type MetricName, metricNames, type Whose } from "../api/metrics";
import { exactTime } from "../thread/format";
import { Choices } from "../ui/choices";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";
import { Select } from "../ui/select";
import { words } from "../words/operations";
import { LineChart, mostLines } from "./linechart";
import {
  asQuery,
  groupOf,
  linesOf,
  type Measure,
  measures,
  type Question,
  type Range,
  ranges,
  wordsOf,
} from "./measure";
import { Cell, Table } from "./table";

const say = words.metrics;

/** What was measured, over time: by the runtime, by handlers and by clients. */
export default function Metrics() {
  const { value: me } = useLoaded(whoAmI);
  const [whose, setWhose] = useState<Whose>("mine");
  return (
    <div className="space-y-4">
      {me?.admin && (
        <Choices
          quiet
          legend={say.whose}
          options={[
            { value: "mine", label: say.mine },
            { value: "server", label: say.server },
          ]}
          value={whose}
          onChange={setWhose}
        />
      )}
      <Measured key={whose} whose={whose} />
    </div>
  );
}

function Measured({ whose }: { whose: Whose }) {
  const { value, error } = useLoaded(useCallback(() => metricNames(whose), [whose]));
  return (
    <>
      {error && <Notice text={error} />}
      {value?.items.length === 0 && (
        <p className="rounded-xl border border-dashed border-line p-6 text-center text-sm text-faint">
          {say.nothing}
        </p>
      )}
      {value && value.items.length > 0 && <Explorer whose={whose} names={value.items} />}
    </>
  );
}

/** Most rows of the table that are shown. */
const mostRows = 200;

function Explorer({ whose, names }: { whose: Whose; names: MetricName[] }) {
  const [question, setQuestion] = useState<Question>({
    name: names[0]?.name ?? "",
    range: "day",
    measure: "count",
    groupBy: "",
  });
  const ask = useCallback(() => askMetric(whose, asQuery(question, Date.now())), [whose, question]);
  const { value: answer, error } = useLoaded(ask, 30_000);
  const change = (to: Partial<Question>) => setQuestion({ ...question, ...to });
  const dimensions = names.find((n) => n.name === question.name)?.dimensions ?? [];
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-3">
        <Select label={say.metric} value={question.name} onChange={(name) => change({ name, groupBy: "" })}>
          {names.map((n) => (
            <option key={n.name}>{n.name}</option>
          ))}
        </Select>
        <Select
          label={say.measure}
          value={question.measure}
          onChange={(measure) => change({ measure: measure as Measure })}
        >
          {Object.entries(measures).map(([id, m]) => (
            <option key={id} value={id}>
              {m.label}
            </option>
          ))}
        </Select>
        <Select label={say.groupBy} value={question.groupBy} onChange={(groupBy) => change({ groupBy })}>
          <option value="">{say.noGroup}</option>
          {dimensions.map((d) => (
            <option key={d}>{d}</option>
          ))}
        </Select>
      </div>
      <Choices
        quiet
        legend={say.time}
        options={Object.entries(ranges).map(([id, r]) => ({ value: id as Range, label: r.label }))}
        value={question.range}
        onChange={(range) => change({ range })}
      />
      {error && <Notice text={error} />}
      {answer && <Answer answer={answer} />}
    </>
  );
}

function Answer({ answer }: { answer: MetricAnswer }) {
  const rows = answer.rows ?? [];
  const aggregates = Object.keys(rows[0]?.values ?? {}).sort();
  const lines = linesOf(answer);
  const groups = answer.groupBy ?? [];
  return (
    <>
      {lines.length > 0 && (
        <LineChart
          label={say.overTime(answer.name)}
          lines={lines.slice(0, mostLines)}
          words={wordsOf(answer.name, aggregates[0] ?? "")}
        />
      )}
      {lines.length > mostLines && (
        <p className="text-xs text-faint">{say.someLines(mostLines, lines.length)}</p>
      )}
      <Table
        caption={say.overTime(answer.name)}
        heads={[say.from, ...groups, ...aggregates]}
        empty={say.empty}
      >
        {rows
          .toReversed()
          .slice(0, mostRows)
          .map((r) => (
            <tr key={`${r.start} ${groupOf(r)}`} className="tabular-nums">
              <Cell className="whitespace-nowrap">{exactTime(r.start)}</Cell>
              {groups.map((g) => (
                <Cell key={g}>{r.group?.[g] ?? "—"}</Cell>
              ))}
              {aggregates.map((a) => (
                <Cell key={a}>{wordsOf(answer.name, a)(r.values?.[a] ?? 0)}</Cell>
              ))}
            </tr>
          ))}
      </Table>
      {rows.length > mostRows && <p className="text-xs text-faint">{say.someRows(mostRows, rows.length)}</p>}
      {aggregates.some((a) => a.startsWith("p")) && (
        <p className="text-xs text-faint">{say.error(answer.relativeError * 100)}</p>
      )}
    </>
  );
}
