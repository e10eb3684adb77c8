import { useState } from "react";
import { type DayUsage, usageByDay } from "../api/operations";
import { cost, tokens } from "../thread/format";
import { Choices } from "../ui/choices";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";
import { Chart } from "./chart";
import { Cell, Table } from "./table";

type Measure = "tokens" | "cost";

const measures: Record<Measure, { name: string; of: (d: DayUsage) => number; words: (n: number) => string }> =
  {
    tokens: { name: "Tokens", of: (d) => d.inputTokens + d.outputTokens, words: tokens },
    cost: { name: "Cost", of: (d) => d.costMicros, words: cost },
  };

/** What was used, by day. */
export default function Usage() {
  const { value, error } = useLoaded(usageByDay, 10_000);
  const [measure, setMeasure] = useState<Measure>("tokens");
  const days = value?.items ?? [];
  const { of, words, name } = measures[measure];
  return (
    <div className="space-y-4">
      {error && <Notice text={error} />}
      {days.length > 0 && (
        <>
          <Choices
            quiet
            legend="Measure"
            options={[
              { value: "tokens", label: "Tokens" },
              { value: "cost", label: "Cost" },
            ]}
            value={measure}
            onChange={setMeasure}
          />
          <Chart label={name} days={days.map((d) => d.id)} values={days.map(of)} words={words} />
        </>
      )}
      {value && (
        <Table
          caption="Usage by day"
          heads={["Day", "Calls", "Tokens in", "Tokens out", "Cost"]}
          empty="Nothing has been used yet."
        >
          {days.toReversed().map((d) => (
            <tr key={d.id} className="tabular-nums">
              <Cell>{d.id}</Cell>
              <Cell>{d.calls}</Cell>
              <Cell>{tokens(d.inputTokens)}</Cell>
              <Cell>{tokens(d.outputTokens)}</Cell>
              <Cell>{cost(d.costMicros)}</Cell>
            </tr>
          ))}
        </Table>
      )}
    </div>
  );
}
